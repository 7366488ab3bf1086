// The page in a real browser, on the running demo. Without a browser the tests are skipped, visibly; with
// PRIMO_REQUIRE_BROWSER they fail then.

import type { Comparisons, DecisionExplained, DecisionReply, ProblemSummary } from '@primo/contract'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser, openBrowser } from '../scripts/open-browser.mjs'
import { axeFindingsInBothThemes } from './page-axe.fixture.js'
import { type StartedPrimo, startDemo } from './started-primo.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
if (found === null && !required) console.warn('no browser was found: the tests of the page are skipped')

const LONG = 90_000

describe.skipIf(found === null && !required)('the page', { timeout: 2 * LONG }, () => {
  let demo: StartedPrimo
  let browser: Browser
  let context: BrowserContext
  const errors: string[] = []

  beforeAll(async () => {
    browser = await openBrowser()
    demo = await startDemo()
    // axe is put into the page, which its own policy would forbid.
    context = await browser.newContext({ bypassCSP: true, viewport: { width: 1200, height: 900 } })
    context.setDefaultTimeout(LONG)
  }, 2 * LONG)

  afterAll(async () => {
    await browser?.close()
    await demo?.stop()
  }, LONG)

  async function open(path: string): Promise<Page> {
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') errors.push(`${path}: ${message.text()}`)
    })
    page.on('pageerror', (error) => errors.push(`${path}: ${error.message}`))
    await page.goto(`${demo.url}${path}`)
    return page
  }

  async function get<T>(path: string): Promise<T> {
    const reply = await fetch(`${demo.url}${path}`)
    expect(reply.ok).toBe(true)
    return (await reply.json()) as T
  }

  async function post<T>(path: string, body: unknown = {}): Promise<T> {
    const reply = await fetch(`${demo.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(reply.status, await reply.clone().text()).toBeLessThan(300)
    return (await reply.json()) as T
  }

  const shown = async (page: Page, figure: string) =>
    Number((await page.locator(`[data-figure=${figure}]`).first().innerText()).replaceAll(',', ''))

  it('shows the overview with the one picture, and its numbers move', async () => {
    const page = await open('/#/')
    await page.locator('#dosing-picture svg[role=img]').first().waitFor()
    const said = page.locator('[data-verdict]').first()
    // The sentence claims what the interval beside it allows, and nothing else.
    const { problems } = await get<Comparisons>('/demo/comparison')
    const { low, high } = problems[0]!.perThousand.live
    expect(low <= 0 && high >= 0 ? ['open'] : ['open', 'good', 'bad']).toContain(
      await said.getAttribute('data-verdict'),
    )
    expect(await said.innerText()).toMatch(/no verdict yet|Primo gives [\d,]+ (more|fewer) right doses per 1,000/)
    const before = await shown(page, 'decisions')
    await expect.poll(() => shown(page, 'decisions'), { timeout: LONG }).toBeGreaterThan(before)
    expect(await axeFindingsInBothThemes(page)).toEqual([])
    await page.close()
  })

  it('draws all panels of a problem in its tabs, live, without serious findings in light and dark', async () => {
    const page = await open('/#/problems/dosing')
    const panels = {
      Overview: ['value', 'actions'],
      Learning: ['calibration', 'cost'],
      Data: ['missing', 'missing-at-random', 'joins'],
      Decisions: ['decisions'],
      Evaluate: ['question'],
      Operate: ['operations', 'policies', 'operations-log', 'latency'],
    }
    await page.locator('#value').waitFor()
    const before = await shown(page, 'decisions')
    await expect.poll(() => shown(page, 'decisions'), { timeout: LONG }).toBeGreaterThan(before)
    for (const [tab, ids] of Object.entries(panels)) {
      await page.getByRole('navigation', { name: 'Parts of dosing' }).getByRole('link', { name: tab }).click()
      for (const id of ids) await page.locator(`#${id}`).waitFor()
      if (tab === 'Learning')
        expect(await page.locator('#policy').innerText()).toMatch(/Learning from the last [\d,]+ rounds[.:]/)
      expect(await axeFindingsInBothThemes(page)).toEqual([])
    }
    await page.locator('#policies tbody tr').first().waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.close()
  })

  it('explains a decision that was made through the API', async () => {
    const { decisionId, action } = await post<DecisionReply>('/v1/problems/dosing/decisions', {
      eventId: 'visitor-1',
      context: { age: 61, weight: 70, smoker: true, ancestry: 'Asian' },
      covariates: { riskAlleles: null },
      predictions: { riskAlleles: 1.1 },
      missing: { riskAlleles: 'sample lost' },
    })
    const page = await open('/#/problems/dosing/decisions')
    await page.getByLabel('Decision id or event id').fill('visitor-1')
    await page.keyboard.press('Enter')
    await page.locator('#ranking').waitFor()
    expect(await page.locator('[data-figure=action]').innerText()).toBe(action)
    const explained = await get<DecisionExplained>(`/v1/problems/dosing/decisions/${decisionId}`)
    const text = await page.locator('main').innerText()
    expect(text).toContain('riskAlleles was missing: sample lost')
    expect(text).toContain('Asian')
    expect(text).toContain(`version ${explained.reply.policy.version}`)
    expect(await page.locator('#ranking tbody tr').count()).toBe(3)
    await page.locator('#sweep-riskAlleles svg').first().waitFor()
    // Table and curves are of different things where a value is missing, and say so.
    if (explained.reply.ranking[0]!.score !== null) {
      expect(text).toContain('Expected over what the missing values may be')
      expect(await page.locator('#sweep-riskAlleles').innerText()).toContain('if riskAlleles had been known')
    }
    expect(await axeFindingsInBothThemes(page)).toEqual([])
    await page.goto(`${demo.url}/#/problems/dosing/decisions/no-such-id`)
    await page.getByRole('alert').waitFor()
    await page.close()
    // A decision that is not there is answered 404, which a browser reports by itself.
    const expected = errors.findIndex((error) => error.includes('404'))
    if (expected >= 0) errors.splice(expected, 1)
  })

  it('shows the figures of the API and of the exported log', async () => {
    // A problem that nothing happens to while it is looked at.
    await fetch(`${demo.url}/v1/problems/still`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        context: { x: { type: 'number', min: 0, max: 1 } },
        covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
        actions: ['a', 'b'],
        reward: { min: 0, max: 1 },
      }),
    })
    for (let i = 0; i < 60; i++) {
      const request = { context: { x: i / 60 }, covariates: { z: i % 3 === 0 ? null : (i % 7) / 7 } }
      const { decisionId } = await post<DecisionReply>('/v1/problems/still/decisions', request)
      if (i % 5 !== 0) await post(`/v1/problems/still/decisions/${decisionId}/reward`, { value: (i % 11) / 11 })
    }
    const log = await (await fetch(`${demo.url}/v1/problems/still/log?format=jsonl`)).text()
    const rows = log
      .split('\n')
      .filter((line) => line.includes('decisionId":"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const rewards = rows.filter((row) => row.rewardStatus === 'closed').map((row) => Number(row.reward))
    const mean = rewards.reduce((sum, value) => sum + value, 0) / rewards.length
    const summary = await get<ProblemSummary>('/v1/problems/still/summary')
    const page = await open('/#/problems/still')
    await expect.poll(() => shown(page, 'closed'), { timeout: LONG }).toBe(48)
    expect(rows.length).toBe(60)
    expect(await shown(page, 'decisions')).toBe(rows.length)
    expect(rewards.length).toBe(48)
    const title = await page.locator('[data-figure=mean]').getAttribute('title')
    expect(Number(title)).toBeCloseTo(summary.reward.mean!, 12)
    expect(Number(title)).toBeCloseTo(mean, 12)
    for (const [k, action] of ['a', 'b'].entries()) {
      const cells = page.locator('#actions tbody tr').nth(k).locator('td')
      expect(Number(await cells.nth(1).innerText())).toBe(rows.filter((row) => row.action === action).length)
    }
    const missing = rows.filter((row) => row['covariate.z'] == null).length
    await page.goto(`${demo.url}/#/problems/still/data`)
    expect(await page.locator('#missing h2').innerText()).toContain(`${Math.round((100 * missing) / rows.length)}%`)
    await page.close()
  })

  it('left no error in the console', () => {
    expect(errors).toEqual([])
  })
})
