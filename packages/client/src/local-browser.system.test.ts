// A page in a real browser that decides locally: online, offline and after a reload. It uploads when the network is
// back.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'vite'
import { afterAll, expect, test } from 'vitest'
import { findBrowser, openBrowser } from '../../../apps/dashboard/scripts/open-browser.mjs'
import { createClient } from './client.js'
import type * as Built from './local.js'
import { problem, startedService } from './started-service.fixture.js'

const PAGE = `<!doctype html><title>shop</title>
<script type="module">import * as primo from '/local.js'; globalThis.primo = primo</script>`
const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
let bundle = ''
const page = createServer((request, response) => {
  const isScript = request.url === '/local.js'
  response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
  response.end(isScript ? bundle : PAGE)
})
await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
const origin = `127.0.0.1:${(page.address() as AddressInfo).port}`
const service = await startedService('--allow-host', origin)
afterAll(() => {
  page.closeAllConnections()
  page.close()
})

type Globals = { readonly primo: typeof Built; local: Built.Local }

test.skipIf(found === null && !required)('a page decides offline and uploads when it is online again', async () => {
  const [built] = [
    await build({
      configFile: false,
      logLevel: 'silent',
      resolve: { conditions: ['source'] },
      build: { write: false, lib: { entry: join(import.meta.dirname, 'local.ts'), formats: ['es'] } },
    }),
  ].flat()
  const output = built !== undefined && 'output' in built ? built.output : []
  expect(output).toHaveLength(1)
  bundle = output[0]?.type === 'chunk' ? output[0].code : ''
  expect(bundle).not.toMatch(/["']node:|\bprocess\.|\brequire\(/)
  const operator = createClient({ url: service.url })
  await operator.define('p', problem)
  const browser = await openBrowser()
  try {
    const context = await browser.newContext()
    const open = async () => {
      const tab = await context.newPage()
      await tab.goto(`http://${origin}/`)
      await tab.evaluate(async (url) => {
        const all = globalThis as unknown as Globals
        const { openLocal, indexedDbPolicy, indexedDbSpool } = all.primo
        const uploads = { spool: indexedDbSpool('primo') }
        const keep = indexedDbPolicy('primo', 'p')
        all.local = await openLocal({ url, problem: 'p', caller: 'page', default: 'a', backoff: 20, keep, uploads })
      }, service.url)
      return tab
    }
    const play = (tab: Awaited<ReturnType<typeof open>>, count: number) =>
      tab.evaluate(async (rounds) => {
        const { local } = globalThis as unknown as Globals
        const decided = Array.from({ length: rounds }, (_, k) => local.decide({ context: { x: (k % 10) / 10 } }))
        for (const { decisionId } of decided) local.reward(decisionId, 1)
        await local.acknowledged()
        return decided
      }, count)
    const first = await open()
    const online = await play(first, 20)
    await context.setOffline(true)
    const offline = await play(first, 30)
    expect([...online, ...offline].filter(({ from }) => from !== 'policy')).toEqual([])
    // The page is closed with what waits; the next one finds it.
    await first.close()
    await context.setOffline(false)
    const second = await open()
    // The first time the service answers that nothing has changed, the second time with another policy.
    const again = () => second.evaluate(() => (globalThis as unknown as Globals).local.refresh())
    const policy = () => second.evaluate(() => (globalThis as unknown as Globals).local.metrics().policy)
    expect(await again()).toBe(true)
    const before = await policy()
    await operator.define('p', { ...problem, guards: { floor: 0.1 } })
    expect(await again()).toBe(true)
    expect(await policy()).not.toBe(before)
    const settled = await second.evaluate(async () => {
      const { local } = globalThis as unknown as Globals
      const left = await local.close(20_000)
      return { left, ...local.metrics() }
    })
    expect(settled).toMatchObject({ left: 0, refused: 0, lost: 0 })
    const { decisions } = await operator.summary('p')
    expect(decisions).toBe(50)
    expect(await operator.explain('p', offline[29]!.decisionId!)).toMatchObject({ reward: 1 })
  } finally {
    await browser.close()
  }
})
