// The page in a real browser, on the running demo. Without a browser the tests are skipped, visibly; with
// PRIMO_REQUIRE_BROWSER they fail then.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { DecisionExplained, DecisionReply, Epochs, ProblemSummary } from '@primo/contract'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser, openBrowser } from '../scripts/open-browser.mjs'
import { type StartedPrimo, startDemo } from './started-primo.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
if (found === null && !required) console.warn('no browser was found: the tests of the page are skipped')

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
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

  async function seriousFindings(page: Page): Promise<string[]> {
    await page.evaluate(AXE)
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string; impact: string; nodes: { html: string }[] }[]
    }
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  }

  const shown = async (page: Page, figure: string) =>
    Number((await page.locator(`[data-figure=${figure}]`).first().innerText()).replaceAll(',', ''))

  it('shows the overview with the one picture, and its numbers move', async () => {
    const page = await open('/#/')
    await page.locator('section.wide svg[role=img]').first().waitFor()
    expect(await page.locator('.sentence').first().innerText()).toContain('Per 1,000 decisions, missing values cost')
    const before = await shown(page, 'decisions')
    await expect.poll(() => shown(page, 'decisions'), { timeout: LONG }).toBeGreaterThan(before)
    expect(await seriousFindings(page)).toEqual([])
    await page.close()
  })

  it('draws all panels of a problem, live, without serious findings in light and dark', async () => {
    const page = await open('/#/problems/dosing')
    const ids = [
      'value',
      'actions',
      'missing',
      'calibration',
      'cost',
      'missing-at-random',
      'joins',
      'latency',
      'latest',
      'epochs',
    ]
    for (const id of ids) await page.locator(`section#${id}`).waitFor()
    const before = await shown(page, 'decisions')
    await expect.poll(() => shown(page, 'decisions'), { timeout: LONG }).toBeGreaterThan(before)
    await page.locator('#epochs tbody tr').first().waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: /Theme/ }).click()
    await page.getByRole('button', { name: /Theme/ }).click()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    expect(await seriousFindings(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.locator('#value svg').focus()
    await page.keyboard.press('End')
    expect(await page.locator('#value [role=status]').innerText()).toContain('played')
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
    expect(await seriousFindings(page)).toEqual([])
    await page.goto(`${demo.url}/#/problems/dosing/decisions/no-such-id`)
    await page.getByRole('alert').waitFor()
    await page.close()
    // A decision that is not there is answered 404, which a browser reports by itself.
    const expected = errors.findIndex((error) => error.includes('404'))
    if (expected >= 0) errors.splice(expected, 1)
  })

  it('rolls back to an earlier policy and learns again', async () => {
    await expect
      .poll(async () => (await get<Epochs>('/v1/problems/dosing/epochs')).epochs.length, {
        timeout: LONG,
        interval: 500,
      })
      .toBeGreaterThan(2)
    const page = await open('/#/problems/dosing')
    const { epochs } = await get<Epochs>('/v1/problems/dosing/epochs')
    const { version } = epochs[0]!
    const row = page.locator('#epochs tbody tr').last()
    const { learnt } = epochs[0]!.report as { learnt: number }
    expect(await row.locator('td').nth(3).innerText()).toBe(String(learnt))
    await row.getByRole('button', { name: `roll back to policy ${version}` }).click()
    await page.getByRole('button', { name: `Really roll back to ${version}` }).click()
    await page.locator('#epochs h2', { hasText: `Policy ${version} decides, frozen` }).waitFor()
    const frozen = await get<ProblemSummary>('/v1/problems/dosing/summary')
    expect(frozen.mode).toBe('frozen')
    expect(frozen.learning.policyVersion).toBe(version)
    await page.getByRole('button', { name: 'Resume learning' }).click()
    await page.getByRole('button', { name: 'Freeze' }).waitFor()
    expect((await get<ProblemSummary>('/v1/problems/dosing/summary')).mode).toBe('active')
    await page.close()
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
    expect(Number(title)).toBe(summary.reward.mean)
    expect(Number(title)).toBeCloseTo(mean, 12)
    for (const [k, action] of ['a', 'b'].entries()) {
      const cells = page.locator('#actions tbody tr').nth(k).locator('td')
      expect(Number(await cells.nth(1).innerText())).toBe(rows.filter((row) => row.action === action).length)
    }
    const missing = rows.filter((row) => row['covariate.z'] == null).length
    expect(await page.locator('#missing h2').innerText()).toContain(`${Math.round((100 * missing) / rows.length)}%`)
    await page.close()
  })

  it('plays in the browser alone', async () => {
    const page = await open('/playground.html')
    await page.locator('#curves svg').waitFor()
    await page.getByLabel(/Missing share/).fill('0.8')
    await page.getByText('Missing share: 80%').waitFor()
    await page.locator('#curves polyline').first().waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.close()
  })

  it('left no error in the console', () => {
    expect(errors).toEqual([])
  })
})
