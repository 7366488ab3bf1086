// The playground: the algorithms run in the browser, on a made-up world or on a table of the reader's own.

import { lazy, Suspense } from 'react'
import { useAddress } from '../address.js'
import { Tabs } from '../components/tabs.js'
import { PageFrame } from '../frame/page-frame.js'
import { MadeUpWorld } from './made-up-world.js'
import './playground.css'

const OwnTable = lazy(async () => ({ default: (await import('./own-table.js')).OwnTable }))

export function Playground() {
  const { path } = useAddress()
  const own = path === '/table'
  return (
    <PageFrame here="playground">
      <div className="stack">
        <div>
          <h1>Playground</h1>
          <p className="quiet">
            Turn the world and watch the policies. Everything runs in this browser; nothing is sent anywhere.
          </p>
        </div>
        <Tabs
          label="What to play on"
          tabs={[
            { name: 'A made-up world', href: '#/', here: !own },
            { name: 'Your own table', href: '#/table', here: own },
          ]}
        />
        {own ? (
          <Suspense fallback={<p role="status">Loading.</p>}>
            <OwnTable />
          </Suspense>
        ) : (
          <MadeUpWorld />
        )}
      </div>
    </PageFrame>
  )
}
