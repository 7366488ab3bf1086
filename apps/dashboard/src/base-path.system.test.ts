// The page behind a real proxy under a path, which passes the path on or takes it off.

import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findBrowser, openBrowser } from '../scripts/open-browser.mjs'
import { type StartedPrimo, startPrimo } from './started-primo.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const LONG = 90_000
const PATH = '/tools/primo'

/** Passes on what is under the path and refuses the rest, as a proxy with other tenants would. */
async function proxyTo(service: string, strip: boolean) {
  const refused: string[] = []
  const proxy = createServer((incoming, outgoing) => {
    const url = incoming.url!
    if (url !== PATH && !url.startsWith(`${PATH}/`)) {
      refused.push(url)
      outgoing.writeHead(404).end()
      return
    }
    const path = strip ? url.slice(PATH.length) || '/' : url
    const { method, headers } = incoming
    const on = request(new URL(path, service), { method: method!, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    on.on('error', () => outgoing.destroy())
    outgoing.on('close', () => on.destroy())
    incoming.pipe(on)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${PATH}`, refused }
}

describe.skipIf(found === null && !required)('the page under a path', { timeout: LONG }, () => {
  let primo: StartedPrimo
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await openBrowser()
    primo = await startPrimo((folder) => ['serve', '--store', `sqlite:${folder}/p.db`, '--base-path', PATH])
    const reply = await fetch(`${primo.url}/v1/problems/shop`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        context: { x: { type: 'number', min: 0, max: 1 } },
        covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
        actions: ['a', 'b'],
        reward: { min: 0, max: 1 },
      }),
    })
    expect(reply.ok, await reply.text()).toBe(true)
    page = await browser.newPage()
    page.setDefaultTimeout(LONG)
  }, LONG)

  afterAll(async () => {
    await browser?.close()
    await primo?.stop()
  }, LONG)

  it.each([
    ['passes it on', false, ''],
    ['takes it off', true, '/'],
  ])('a proxy that %s: every call of the page arrives', async (_, strip, end) => {
    const { url, refused } = await proxyTo(primo.url, strip)
    await page.goto(`${url}${end}`)
    await page.getByRole('link', { name: 'shop' }).first().click()
    const decisions = page.locator('[data-figure=decisions]').first()
    await page.getByRole('heading', { name: 'shop' }).waitFor()
    const decided = await fetch(`${url}/v1/problems/shop/decisions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ context: { x: 0.5 } }),
    })
    expect(decided.ok).toBe(true)
    // Told by the stream of events, through the proxy.
    await expect
      .poll(() => decisions.innerText({ timeout: 1000 }).catch(() => ''), { timeout: LONG })
      .toBe(strip ? '2' : '1')
    expect(new URL(page.url()).pathname).toBe(`${PATH}/`)
    expect(refused.filter((path) => path !== '/favicon.ico')).toEqual([])
  })
})
