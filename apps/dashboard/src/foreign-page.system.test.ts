// A foreign page in a real browser, on the machine of somebody who runs the service without keys: it changes and reads nothing.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser, openBrowser } from '../scripts/open-browser.mjs'
import { type StartedPrimo, startPrimo } from './started-primo.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const LONG = 90_000
/** The browser keeps the answer from the page; one that is told not to shows a refusal. */
const REFUSED = /^nothing$|^\w+ 403 .*foreign-request/
const definition = {
  context: { x: { type: 'number', min: 0, max: 1 } },
  covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
}

describe.skipIf(found === null && !required)('a foreign page', { timeout: LONG }, () => {
  let primo: StartedPrimo
  let browser: Browser
  let page: Page
  let elsewhere: Server

  beforeAll(async () => {
    // Every name is this machine: evil.test is another site, rebound.test is called as the service is.
    // Chromium also keeps public pages from this machine: without that check the refusal is the service's own.
    browser = await openBrowser([
      '--host-resolver-rules=MAP *.test 127.0.0.1',
      '--disable-features=LocalNetworkAccessChecks',
    ])
    primo = await startPrimo((folder) => ['serve', '--store', `sqlite:${folder}/open.db`])
    const reply = await fetch(`${primo.url}/v1/problems/p`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(definition),
    })
    expect(reply.status).toBe(201)
    elsewhere = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>elsewhere</title>')
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    page = await browser.newPage()
  }, LONG)

  afterAll(async () => {
    await browser?.close()
    elsewhere?.close()
    await primo?.stop()
  }, LONG)

  const port = () => (elsewhere.address() as AddressInfo).port
  const status = async () => ((await (await fetch(`${primo.url}/v1/problems/p`)).json()) as { mode: string }).mode

  /** The text of a reply as the page can read it, or that it cannot. */
  const tries = (url: string, init: RequestInit = {}) =>
    page.evaluate(
      ([address, how]) =>
        fetch(address, how).then(
          async (reply) => `${reply.type} ${reply.status} ${await reply.text()}`,
          () => 'nothing',
        ),
      [url, init] as const,
    )

  it.each(['evil.test', '127.0.0.1'])('at %s freezes and reads nothing', async (name) => {
    await page.goto(`http://${name}:${port()}/`)
    const before = await status()
    await tries(`${primo.url}/v1/problems/p/freeze`, { method: 'POST', mode: 'no-cors' })
    await tries(`${primo.url}/v1/problems/p/freeze`, { method: 'POST', mode: 'no-cors', body: '{}' })
    expect(
      await tries(`${primo.url}/v1/problems/q`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(definition),
      }),
    ).toMatch(REFUSED)
    expect(await tries(`${primo.url}/v1/problems/p/log`)).toMatch(REFUSED)
    expect(await status()).toBe(before)
    expect((await fetch(`${primo.url}/v1/problems/q`)).status).toBe(404)
  })

  it('whose name was made to point to the service defines and reads nothing', async () => {
    const rebound = primo.url.replace('127.0.0.1', 'rebound.test')
    // As it was served before the name was changed.
    await page.route(`${rebound}/attack`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>attack</title>' }),
    )
    await page.goto(`${rebound}/attack`)
    for (const path of ['/v1/problems/p/log', '/v1/problems', '/metrics', '/'])
      expect(await tries(path)).toMatch(/^basic 403 .*foreign-request/)
    const put = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(definition) }
    expect(await tries('/v1/problems/q', put)).toMatch(/^basic 403 .*foreign-request/)
    expect((await fetch(`${primo.url}/v1/problems/q`)).status).toBe(404)
  })

  it('may link to the page, which works as before', async () => {
    await page.goto(`http://evil.test:${port()}/`)
    await page.evaluate((url) => {
      location.href = url
    }, `${primo.url}/`)
    await page.waitForURL(`${primo.url}/**`)
    expect(await tries('/v1/problems')).toMatch(/^basic 200/)
    const freeze = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    expect(await tries('/v1/problems/p/freeze', freeze)).toMatch(/^basic 200/)
    expect(await status()).toBe('frozen')
  })
})
