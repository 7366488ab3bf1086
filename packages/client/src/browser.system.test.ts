// The client in a real browser: one file without Node modules. It decides, rewards and waits for a service that is
// away.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, expect, test } from 'vitest'
import { findBrowser, openBrowser } from '../../../apps/dashboard/scripts/open-browser.mjs'
import { createClient } from './client.js'
import type * as Built from './index.js'
import { problem, startedService } from './started-service.fixture.js'

const PAGE = `<!doctype html><title>shop</title>
<script type="module">import * as primo from '/client.js'; globalThis.primo = primo</script>`
const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const page = createServer((request, response) => {
  const isScript = request.url === '/client.js'
  response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
  response.end(isScript ? bundle : PAGE)
})
let bundle = ''
await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
const origin = `127.0.0.1:${(page.address() as AddressInfo).port}`
const service = await startedService('--allow-host', origin)
afterAll(() => {
  page.closeAllConnections()
  page.close()
})

test.skipIf(found === null && !required)('the client decides and rewards in a browser', async () => {
  const [built] = [
    await build({
      configFile: false,
      logLevel: 'silent',
      resolve: { conditions: ['source'] },
      build: {
        write: false,
        lib: { entry: join(import.meta.dirname, 'index.ts'), formats: ['es'] },
      },
    }),
  ].flat()
  const output = built !== undefined && 'output' in built ? built.output : []
  expect(output).toHaveLength(1)
  const [file] = output
  bundle = file?.type === 'chunk' ? file.code : ''
  expect(bundle).not.toMatch(/node:|\bprocess\.|\brequire\(/)
  // The schemas of the contract are not in it.
  expect(bundle.length).toBeLessThan(40_000)
  const operator = createClient({ url: service.url })
  await operator.define('p', problem)
  const browser = await openBrowser()
  try {
    const tab = await browser.newPage()
    await tab.goto(`http://${origin}/`)
    const decided = await tab.evaluate(async (url) => {
      const { createClient } = (globalThis as unknown as { readonly primo: typeof Built }).primo
      const client = createClient({ url, backoff: 50 })
      const request = { context: { x: 0.5 } }
      const one = await client.decide('p', request, { default: 'a', deadline: 20_000 })
      const told = await client.reward('p', one.eventId, 1)
      const away = createClient({ url: 'http://127.0.0.1:9', backoff: 5, reports: { keepFor: 100 } })
      const other = await away.decide('p', request, { default: 'b', deadline: 100 })
      const quiet = await away.reward('p', other.eventId, 1)
      return {
        failure: one.from === 'default' ? one.error.message : '',
        from: one.from,
        eventId: one.eventId,
        told,
        other: other.action,
        quiet,
        left: await away.settled(),
      }
    }, service.url)
    expect(decided).toMatchObject({ failure: '', from: 'service', told: { status: 'accepted' }, other: 'b', left: 0 })
    expect(decided.quiet.status).toBe('inactive')
    expect(await operator.explain('p', decided.eventId)).toMatchObject({ reward: 1 })
  } finally {
    await browser.close()
  }
})
