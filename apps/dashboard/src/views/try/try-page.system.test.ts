// A decision tried in a real browser, by keys alone.

import type { DecisionBatchReply, DecisionReply, ProblemSummary } from '@primo/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findBrowser, openBrowser } from '../../../scripts/open-browser.mjs'
import { axeFindingsInBothThemes } from '../../page-axe.fixture.js'
import { type StartedPrimo, startPrimo } from '../../started-primo.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const LONG = 60_000
const LONG_NAME = 'a'.repeat(64)
const ACTIONS = [LONG_NAME, ...Array.from({ length: 11 }, (_, k) => `action ${k + 2}`)]

describe.skipIf(found === null && !required)('trying a decision', { timeout: LONG }, () => {
  let primo: StartedPrimo
  let browser: Browser
  let page: Page
  const errors: string[] = []

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const reply = await fetch(`${primo.url}${path}`, {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    expect(reply.status, await reply.clone().text()).toBeLessThan(300)
    return reply.json() as Promise<T>
  }

  const summary = (problem: string) => call<ProblemSummary>('GET', `/v1/problems/${problem}/summary`)

  beforeAll(async () => {
    browser = await openBrowser()
    primo = await startPrimo((folder) => ['serve', '--store', `sqlite:${folder}/try.db`])
    const small = {
      context: { age: { type: 'number', min: 0, max: 100 } },
      covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
      actions: ['low', 'high'],
      reward: { min: 0, max: 10 },
    }
    await call('PUT', '/v1/problems/learnt', small)
    await call('PUT', '/v1/problems/new', {
      ...small,
      covariates: {
        ...small.covariates,
        kind: { type: 'category', levels: ['x', 'y'], imputer: { kind: 'constant', value: 'x' } },
      },
      actions: ACTIONS,
    })
    // The right action depends on z alone.
    for (let round = 0; round < 4; round++) {
      const decisions = Array.from({ length: 60 }, (_, k) => ({
        context: { age: (k * 37) % 100 },
        covariates: { z: k % 3 === 0 ? null : k % 2 },
      }))
      const { results } = await call<DecisionBatchReply>('POST', '/v1/problems/learnt/decisions/batch', { decisions })
      const rewards = (results as DecisionReply[]).map(({ decisionId, action }, k) => ({
        id: decisionId,
        value: (action === 'high') === (k % 2 === 1) ? 10 : 0,
      }))
      await call('POST', '/v1/problems/learnt/rewards/batch', { rewards })
      await vi.waitUntil(async () => !(await summary('learnt')).learning.fitting, { timeout: LONG })
    }
    await vi.waitUntil(async () => (await summary('learnt')).learning.policyVersion > 0, { timeout: LONG })
    page = await browser.newPage({ bypassCSP: true, viewport: { width: 1200, height: 900 } })
    page.setDefaultTimeout(LONG)
    page.on('pageerror', (error) => errors.push(error.message))
  }, 3 * LONG)

  afterAll(async () => {
    await browser?.close()
    await primo?.stop()
  }, LONG)

  const shown = async (action: string) => page.locator(`[data-action="${action}"]`).innerText()

  it('shows probabilities as the form changes, without deciding anything', async () => {
    const { decisions } = await summary('learnt')
    await page.goto(`${primo.url}/#/problems/learnt/try`)
    const missing = page.getByRole('switch', { name: 'z is missing' })
    await page.locator('[data-action=high]').waitFor()
    await missing.focus()
    await page.keyboard.press('Space')
    const field = page.getByRole('spinbutton', { name: 'z' })
    await field.focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('1')
    await page.getByRole('heading', { name: '“high” is most likely' }).waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('0')
    await page.getByRole('heading', { name: '“low” is most likely' }).waitFor()
    await page.keyboard.type('5')
    await page.getByText('must be a number from 0 to 1').waitFor()
    expect(decodeURIComponent(page.url())).toContain('"missing":false')
    expect((await summary('learnt')).decisions).toBe(decisions)
  })

  it('says what would be if a missing value were known', async () => {
    await page.goto(`${primo.url}/#/problems/learnt/try?request=`)
    const slider = page.getByRole('slider', { name: 'What if z were' })
    await slider.focus()
    await page.keyboard.press('End')
    await page.getByRole('columnheader', { name: 'if z were 1' }).waitFor()
    expect(await slider.getAttribute('aria-valuetext')).toBe('1.00')
    expect(await page.locator('#known-z polyline').count()).toBe(2)
    expect(await page.locator('#code pre').innerText()).toContain('"covariates":{"z":null}')
    await page.getByRole('button', { name: 'TypeScript' }).click()
    expect(await page.locator('#code pre').innerText()).toContain("primo.decide('learnt'")
    expect(await axeFindingsInBothThemes(page)).toEqual([])
  })

  it('makes the decision only when asked to, by keys', async () => {
    const { decisions } = await summary('learnt')
    await page.getByRole('button', { name: 'Save as a decision' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await summary('learnt')).decisions).toBe(decisions)
    await page.getByRole('button', { name: 'Save as a decision' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Make the decision' }).focus()
    await page.keyboard.press('Enter')
    const link = page.getByRole('link', { name: 'See this decision explained' })
    await link.waitFor()
    expect((await summary('learnt')).decisions).toBe(decisions + 1)
    const id = decodeURIComponent((await link.getAttribute('href'))!.split('/').at(-1)!)
    await call('GET', `/v1/problems/learnt/decisions/${id}`)
  })

  it('claims nothing before anything was learnt, with twelve actions, long names and two covariates on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto(`${primo.url}/#/problems/new/try`)
    await page.getByRole('heading', { name: 'All actions are equally likely' }).waitFor()
    expect(await shown(LONG_NAME)).toBe('8.3%')
    expect(await page.getByRole('columnheader', { name: 'expected reward' }).count()).toBe(0)
    for (const name of ['z', 'kind']) await page.getByRole('heading', { name: `What if ${name} were known?` }).waitFor()
    await page.getByRole('button', { name: 'y', exact: true }).click()
    await page.getByRole('columnheader', { name: 'if kind were y' }).waitFor()
    const colours = await page
      .locator('#answer .swatch')
      .evaluateAll((squares) => squares.map((square) => getComputedStyle(square).backgroundColor))
    expect(new Set(colours).size).toBe(12)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect(errors).toEqual([])
  })
})
