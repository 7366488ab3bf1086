// The page: which view is shown, and the way between them.

import type { PageSettings, ProblemInfo } from '@primo/contract'
import { useEffect, useState } from 'react'
import { useResource } from './api/resource.js'
import { get, storeKey } from './api/service.js'
import { PageFrame } from './page-frame.js'
import { routeOf } from './route.js'
import { Explorer } from './views/explorer.js'
import { Overview } from './views/overview.js'
import { Problem } from './views/problem.js'

const NAMES_EVERY = 10_000

async function names(signal: AbortSignal): Promise<{ keys: boolean; problems: readonly string[] }> {
  const { keys } = await get<PageSettings>('/page/settings', signal)
  const { problems } = await get<{ problems: ProblemInfo[] }>('/v1/problems/', signal)
  return { keys, problems: problems.filter(({ retired }) => retired === null).map(({ problem }) => problem) }
}

export function App() {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const moved = () => setHash(location.hash)
    addEventListener('hashchange', moved)
    return () => removeEventListener('hashchange', moved)
  }, [])
  const { value } = useResource('names', names, NAMES_EVERY)
  const route = routeOf(hash)
  const at = 'problem' in route ? route.problem : null
  useEffect(() => {
    document.title = at === null ? 'Primo' : `${at} · Primo`
  }, [at])
  return (
    <PageFrame
      links={[
        { href: '#/', name: 'Overview', here: route.view === 'overview' },
        ...(value?.problems ?? []).map((name) => ({ href: `#/problems/${name}`, name, here: at === name })),
        { href: './playground.html', name: 'Playground', here: false },
        { href: './docs', name: 'API', here: false },
      ]}
      tools={
        value?.keys ? (
          <button
            type="button"
            className="plain"
            onClick={() => {
              storeKey('')
              location.reload()
            }}
          >
            Forget key
          </button>
        ) : null
      }
    >
      {route.view === 'overview' ? <Overview /> : null}
      {route.view === 'problem' ? <Problem key={route.problem} problem={route.problem} /> : null}
      {route.view === 'explorer' ? (
        <Explorer key={`${route.problem}/${route.id}`} problem={route.problem} id={route.id} />
      ) : null}
      {route.view === 'unknown' ? (
        <>
          <h1>There is no such page</h1>
          <p>
            Go to the <a href="#/">overview</a>.
          </p>
        </>
      ) : null}
    </PageFrame>
  )
}
