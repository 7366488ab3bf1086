// The page of a service that asks for keys: it says so, takes one, and does what its role allows.

import { createHash } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser, openBrowser } from '../scripts/open-browser.mjs'
import { type StartedPrimo, startPrimo } from './started-primo.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const LONG = 90_000

const entry = (role: string) => `${role}:${createHash('sha256').update(`secret-${role}`).digest('hex')}`

describe.skipIf(found === null && !required)('the page of a service with keys', { timeout: LONG }, () => {
  let primo: StartedPrimo
  let browser: Browser
  let page: Page

  async function call(method: string, path: string, body: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer secret-admin' }
    const reply = await fetch(`${primo.url}${path}`, { method, headers, body: JSON.stringify(body) })
    expect(reply.status, await reply.clone().text()).toBeLessThan(300)
    return reply.json()
  }

  beforeAll(async () => {
    browser = await openBrowser()
    primo = await startPrimo((folder) => [
      ...['serve', '--store', `sqlite:${folder}/keyed.db`, '--keys', `${entry('read')},${entry('admin')}`],
    ])
    await call('PUT', '/v1/problems/shop', {
      context: { x: { type: 'number', min: 0, max: 1 } },
      covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
      actions: ['a', 'b'],
      reward: { min: 0, max: 1 },
    })
    for (let k = 0; k < 20; k++) {
      const decided = await call('POST', '/v1/problems/shop/decisions', { context: { x: k / 20 } })
      const { decisionId } = decided as { decisionId: string }
      await call('POST', `/v1/problems/shop/decisions/${decisionId}/reward`, { value: k % 2 })
    }
    page = await browser.newPage()
    page.setDefaultTimeout(LONG)
  }, 2 * LONG)

  afterAll(async () => {
    await browser?.close()
    await primo?.stop()
  }, LONG)

  const paste = async (key: string) => {
    await page.getByLabel(/^Key/).fill(key)
    await page.getByRole('button', { name: 'Use it in this tab' }).click()
  }

  it('asks for a key and shows nothing without one', async () => {
    await page.goto(`${primo.url}/#/problems/shop`)
    await page.getByRole('alert').getByText('Authorization').waitFor()
    expect(await page.locator('[data-figure]').count()).toBe(0)
  })

  it('says that a wrong key is not known', async () => {
    await paste('nonsense')
    await page.getByRole('alert').getByText('the key is not known').waitFor()
  })

  it('shows the problem to a key of role read, also after it was loaded again', async () => {
    await paste('secret-read')
    const decisions = page.locator('[data-figure=decisions]').first()
    await decisions.waitFor()
    expect(await decisions.innerText()).toBe('20')
    await page.reload()
    await decisions.waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('keeps the key to its tab and out of the address', async () => {
    expect(page.url()).not.toContain('secret')
    const other = await browser.newPage()
    await other.goto(`${primo.url}/#/problems/shop`)
    await other.getByLabel(/^Key/).waitFor()
    await other.close()
  })
})
