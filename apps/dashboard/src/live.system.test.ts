// The page as it stays up to date: seven tabs on one stream, few requests and bytes, live again after a restart.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DecisionReply } from '@primo/contract'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CountingProxy, countingProxy } from '../scripts/counting-proxy.mjs'
import { findBrowser, openBrowser } from '../scripts/open-browser.mjs'
import { type StartedPrimo, startPrimo } from './started-primo.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const LONG = 90_000
const TABS = 7
const PROBLEMS = 50

describe.skipIf(found === null && !required)('the page, live', { timeout: LONG }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'primo-live-'))
  let primo: StartedPrimo
  let proxy: CountingProxy
  let browser: Browser
  let context: BrowserContext

  const start = () => startPrimo(() => ['serve', '--store', `sqlite:${folder}/live.db`])

  async function call<T>(method: string, path: string, body: unknown): Promise<T> {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${primo.url}${path}`, { method, headers, body: JSON.stringify(body) })
    expect(reply.status, await reply.clone().text()).toBeLessThan(300)
    return (await reply.json()) as T
  }

  async function decide(problem: string, count: number): Promise<void> {
    const decisions = Array.from({ length: count }, (_, i) => ({
      context: { x: (i % 10) / 10 },
      covariates: { z: i % 2 === 0 ? null : 0.5 },
    }))
    const { results } = await call<{ results: DecisionReply[] }>('POST', `/v1/problems/${problem}/decisions/batch`, {
      decisions,
    })
    const rewards = results.map(({ decisionId }, i) => ({ id: decisionId, value: i % 2 }))
    await call('POST', `/v1/problems/${problem}/rewards/batch`, { rewards })
  }

  beforeAll(async () => {
    primo = await start()
    proxy = await countingProxy(primo.url)
    browser = await openBrowser()
    context = await browser.newContext({ viewport: { width: 1200, height: 900 } })
    context.setDefaultTimeout(LONG)
    for (let k = 0; k < PROBLEMS; k++)
      await call('PUT', `/v1/problems/p${k}`, {
        context: { x: { type: 'number', min: 0, max: 1 } },
        covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
        actions: ['a', 'b'],
        reward: { min: 0, max: 1 },
      })
    await decide('p0', 200)
    await decide('p1', 10)
  }, 2 * LONG)

  afterAll(async () => {
    await browser?.close()
    proxy?.close()
    await primo?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, LONG)

  const pages: Page[] = []
  const shown = async (page: Page) =>
    Number((await page.locator('[data-figure=decisions]').first().innerText()).replaceAll(',', ''))
  const allShow = (count: number) =>
    expect.poll(() => Promise.all(pages.map(shown)), { timeout: LONG }).toEqual(pages.map(() => count))

  /** The one before ends a moment after the next has begun. */
  const oneStream = () => expect.poll(() => proxy.streams(), { timeout: 5000 }).toBe(1)

  it('moves little, and shows 50 problems with few requests', async () => {
    const page = await context.newPage()
    proxy.counted()
    await page.goto(`${proxy.url}/#/`)
    const began = performance.now()
    await page.getByText('p49').first().waitFor()
    await page.waitForTimeout(10_000 - (performance.now() - began))
    const { paths, bytes } = proxy.counted()
    // Files of the page included.
    expect(paths.length, paths.join('\n')).toBeLessThan(30)
    expect(bytes).toBeLessThan(300_000)
    await page.close()
  })

  it('keeps seven tabs of one browser live on one stream', async () => {
    for (let k = 0; k < TABS; k++) {
      const page = await context.newPage()
      await page.goto(`${proxy.url}/#/problems/p0`)
      pages.push(page)
    }
    await allShow(200)
    await oneStream()
    await decide('p0', 50)
    await allShow(250)
    // One of them looks at another problem: still one stream, about both.
    await pages[0]!.goto(`${proxy.url}/#/problems/p1`)
    await expect.poll(() => shown(pages[0]!), { timeout: LONG }).toBe(10)
    await decide('p1', 20)
    await expect.poll(() => shown(pages[0]!), { timeout: LONG }).toBe(30)
    await oneStream()
    await pages[0]!.goto(`${proxy.url}/#/problems/p0`)
  })

  it('moves a few bytes where a few things happen', async () => {
    proxy.counted()
    for (let k = 0; k < 4; k++) {
      await decide('p0', 10)
      await pages[0]!.waitForTimeout(500)
    }
    const { bytes } = proxy.counted()
    // A problem's page may move 300 kB in 20 s; these are seven in two.
    expect(bytes / TABS).toBeLessThan(30_000)
  })

  it('is live again within three seconds after a restart', async () => {
    proxy.to(null)
    await primo.stop()
    for (const page of pages) await page.getByText('not connected').first().waitFor()
    primo = await start()
    proxy.to(primo.url)
    const back = performance.now()
    await decide('p0', 10)
    await allShow(300)
    const page = pages.at(-1)!
    await page.getByText('live', { exact: true }).first().waitFor()
    expect(performance.now() - back).toBeLessThan(3000)
    // What failed meanwhile is asked for again after two seconds.
    await expect.poll(() => page.getByRole('alert').count(), { timeout: LONG }).toBe(0)
  })
})
