// What people do all day in the tabs Decisions, Evaluate and Operate, with keys: an operator and someone who may only read.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DecisionReply, OperationList, ProblemInfo, ProblemSummary } from '@primo/contract'
import { logHeader } from '@primo/lab'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser, openBrowser } from '../scripts/open-browser.mjs'
import { moment } from './charts/number-format.js'
import { axeFindingsInBothThemes } from './page-axe.fixture.js'
import { primoBin, type StartedPrimo, startPrimo } from './started-primo.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const LONG = 30_000
const DECISIONS = 700
const YESTERDAY = Date.now() - 86_400_000

const entry = (role: string) => `${role}:${createHash('sha256').update(`secret-${role}`).digest('hex')}`

/** Decisions of another system, a day old, as the problem "former". */
function importFormer(folder: string, store: string): void {
  const feature = { type: 'number', min: 0, max: 1 } as const
  const header = logHeader({
    ...{ actions: ['a', 'b'], context: { x: feature }, covariates: { z: feature } },
    reward: { min: 0, max: 1 },
  })
  const rows = Array.from({ length: 60 }, (_, k) => ({
    ...{
      decisionId: `old-${k}`,
      action: 'ab'[k % 2],
      propensity: 0.7,
      reward: k % 3 === 0 ? 1 : 0,
      rewardStatus: 'closed',
    },
    ...{ time: YESTERDAY + 1000 * k, rewardTime: YESTERDAY + 1000 * k, 'context.x': 0.5, 'covariate.z': null },
    'pretrained.z': 0.4,
  }))
  const file = join(folder, 'former.jsonl')
  const lines = rows.map((row, k) => JSON.stringify(k === 0 ? { ...row, log: header } : row))
  writeFileSync(file, `${lines.join('\n')}\n`)
  const done = spawnSync(process.execPath, [primoBin, 'import', file, '--store', store, '--problem', 'former'])
  expect(done.status, String(done.stderr)).toBe(0)
}

describe.skipIf(found === null && !required)('working with a problem', { timeout: 2 * LONG }, () => {
  let primo: StartedPrimo
  let browser: Browser
  const pages: Record<string, Page> = {}

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer secret-admin' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await fetch(`${primo.url}${path}`, { method, headers, ...sent })
    expect(reply.status, await reply.clone().text()).toBeLessThan(300)
    return (await reply.json()) as T
  }

  /** A tab with the key of a role. */
  async function open(role: string, path: string, problem = 'shop'): Promise<Page> {
    pages[role] ??= await begin(role)
    await pages[role].goto(`${primo.url}/#/problems/${problem}${path}`)
    return pages[role]
  }

  async function begin(role: string): Promise<Page> {
    const context: BrowserContext = await browser.newContext({
      bypassCSP: true,
      viewport: { width: 1200, height: 700 },
    })
    context.setDefaultTimeout(LONG)
    await context.addInitScript(`sessionStorage.setItem('primo-key', 'secret-${role}')`)
    return context.newPage()
  }

  beforeAll(async () => {
    browser = await openBrowser()
    primo = await startPrimo((folder) => {
      const store = `sqlite:${folder}/work.db`
      importFormer(folder, store)
      return ['serve', '--store', store, '--keys', `${entry('read')},${entry('admin')}`]
    })
    await call('PUT', '/v1/problems/shop', {
      context: { x: { type: 'number', min: 0, max: 1 } },
      covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
      actions: ['a', 'b'],
      reward: { min: 0, max: 1 },
      guards: { holdout: 0.1, baseline: 'b' },
    })
    for (let from = 0; from < DECISIONS; from += 100) {
      const decisions = Array.from({ length: 100 }, (_, i) => ({
        eventId: `visit-${from + i}`,
        context: { x: ((from + i) % 10) / 10 },
        covariates: { z: i % 2 === 0 ? null : 0.5 },
      }))
      const { results } = await call<{ results: DecisionReply[] }>('POST', '/v1/problems/shop/decisions/batch', {
        decisions,
      })
      const rewards = results
        .slice(0, 80)
        .map(({ decisionId, action }, i) => ({ id: decisionId, value: action === 'a' ? 1 : (i % 10) / 10 }))
      await call('POST', '/v1/problems/shop/rewards/batch', { rewards })
    }
  }, 2 * LONG)

  afterAll(async () => {
    await browser?.close()
    await primo?.stop()
  }, LONG)

  it('lists decisions, draws only those in sight, and narrows them', async () => {
    const page = await open('read', '/decisions')
    await page.locator('[data-decision]').first().waitFor()
    expect(await page.locator('#decisions h2').innerText()).toBe(`${DECISIONS} decisions`)
    const rows = page.locator('[data-decision]')
    expect(await rows.first().innerText()).toBe(String(DECISIONS))
    expect(await rows.count()).toBeLessThan(80)
    const end = async () => {
      await page.locator('.decision-rows').evaluate((element) => {
        element.scrollTop = element.scrollHeight
      })
      return rows.last().innerText()
    }
    await expect.poll(end, { timeout: LONG }).toBe('1')
    expect(await rows.count()).toBeLessThan(80)
    const found = () => page.locator('#decisions h2').innerText()
    // One in ten plays the baseline, which is b.
    await page.getByLabel('Holdout', { exact: true }).selectOption('true')
    await page.getByLabel('Action', { exact: true }).selectOption('a')
    await page.getByText('No decision fits these filters').waitFor()
    await page.getByLabel('Action', { exact: true }).selectOption('b')
    await expect.poll(async () => Number.parseInt(await found(), 10), { timeout: LONG }).toBeGreaterThan(30)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByLabel('Missing', { exact: true }).selectOption('z')
    await page.getByLabel('Reward', { exact: true }).selectOption('open')
    await expect.poll(() => page.locator('#decisions h2').innerText(), { timeout: LONG }).toBe('70 decisions found')
    expect(page.url()).toContain('missing=z')
    expect(page.url()).toContain('status=open')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV of these' }).click(),
    ])
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n')
      .filter((line) => line.includes('visit-'))
    expect(lines.length).toBe(70)
    expect(await axeFindingsInBothThemes(page)).toEqual([])
  })

  it('goes from one decision to the next and back to the list', async () => {
    const page = pages.read!
    const first = page.locator('[data-decision]').first()
    const round = Number(await first.innerText())
    await first.click()
    await page.locator('#ranking').waitFor()
    expect(await page.locator('.sentence').innerText()).toContain(`In round ${round}`)
    await page.getByRole('link', { name: 'Older' }).click()
    // Every second decision of the last twenty of a hundred is in this list.
    await page.getByText(`In round ${round - 2} `).waitFor()
    await page.getByRole('link', { name: 'Newer' }).click()
    await page.getByText(`In round ${round} `).waitFor()
    await page.getByRole('link', { name: 'All decisions' }).click()
    await page.getByText('70 decisions found').waitFor()
    expect(await page.getByText('Decision id or event id').count()).toBe(1)
  })

  it('credits imported decisions to the former system', async () => {
    const page = await open('read', '/decisions/old-7', 'former')
    await page.getByText('In round 8 your former system played b with probability 70%, not knowing z.').waitFor()
    const said = await page.locator('main').innerText()
    expect(said).not.toMatch(/Primo (played|earns)|equally likely|is preferred|everything known/)
    const when = moment(YESTERDAY + 7000)
    expect(said).toContain(when)
    await open('read', '/decisions', 'former')
    const newest = await page.locator('.decision-rows tbody tr').first().innerText()
    expect(newest).toContain(moment(YESTERDAY + 59_000))
    expect(newest).toContain('your former system')
    await open('read', '', 'former')
    await page.getByText('no reward of a decision by Primo has come back yet').waitFor()
  })

  it('shows a page of its own for a problem that does not exist', async () => {
    const page = await open('read', '', 'nothing')
    await page.getByRole('heading', { name: 'There is no problem “nothing”' }).waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/not connected|Loading|Try again/)
    expect(await page.locator('main').getByRole('link', { name: 'all problems' }).count()).toBe(1)
  })

  it('says why a read key may not freeze, and stays where it is', async () => {
    const page = await open('read', '/operate')
    const freeze = page.getByRole('button', { name: 'Freeze' })
    await freeze.waitFor()
    await page.setViewportSize({ width: 1200, height: 320 })
    await freeze.scrollIntoViewIfNeeded()
    const before = await page.evaluate('scrollY')
    await freeze.click({ force: true })
    await page.getByText('This needs a key of role admin; yours is of role read.').first().waitFor()
    expect(await page.evaluate('scrollY')).toBe(before)
    expect((await call<ProblemSummary>('GET', '/v1/problems/shop/summary')).mode).toBe('active')
    await page.setViewportSize({ width: 1200, height: 700 })
  })

  it('freezes, plays the baseline and takes both back, and says who did what', async () => {
    const page = await open('admin', '/operate')
    await page.getByRole('button', { name: 'Freeze' }).click()
    await page.locator('.toast', { hasText: 'Frozen' }).waitFor()
    await page.locator('.banner.frozen', { hasText: 'frozen' }).waitFor()
    expect((await call<ProblemSummary>('GET', '/v1/problems/shop/summary')).mode).toBe('frozen')
    await page.getByRole('button', { name: 'Resume learning' }).click()
    await page.getByRole('button', { name: 'Freeze' }).waitFor()
    await page.getByRole('button', { name: 'Play the baseline now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Play the baseline now' }).click()
    await page.getByText('The baseline plays: every decision is “b”.').waitFor()
    expect((await call<ProblemInfo>('GET', '/v1/problems/shop')).definition.guards?.kill).toBe(true)
    const reply = await call<DecisionReply>('POST', '/v1/problems/shop/decisions', { context: { x: 0.5 } })
    expect([reply.action, reply.propensity]).toEqual(['b', 1])
    await page.getByRole('button', { name: 'Let the policy decide' }).click()
    await page.getByRole('button', { name: 'Play the baseline now' }).waitFor()
    await page.locator('#operations-log', { hasText: 'definition changed: the baseline plays' }).waitFor()
    const { operations } = await call<OperationList>('GET', '/v1/problems/shop/operations')
    expect(operations.map(({ operation }) => operation)).toEqual(['define', 'define', 'unfreeze', 'freeze', 'define'])
    const key = operations[0]!.by!
    expect(key).toMatch(/^admin-/)
    expect(await page.locator('#operations-log tbody tr').first().innerText()).toContain(key)
    expect(await axeFindingsInBothThemes(page)).toEqual([])
  })

  it('rolls back after a question', async () => {
    const page = pages.admin!
    const row = page.locator('#policies tbody tr').last()
    await row.getByRole('button', { name: /Roll back to policy/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Roll back to/ })
      .click()
    await page.locator('.toast', { hasText: 'learning is frozen' }).waitFor()
    expect((await call<ProblemSummary>('GET', '/v1/problems/shop/summary')).mode).toBe('frozen')
    await page.getByRole('button', { name: 'Resume learning' }).click()
    await page.getByRole('button', { name: 'Freeze' }).waitFor()
  })

  it('evaluates, keeps the run, shares it by its address and promotes', async () => {
    const page = await open('admin', '/evaluate')
    await page.getByLabel('always a').check()
    await page.getByLabel('always b').check()
    await page.getByRole('button', { name: 'Evaluate' }).click()
    await page.locator('#evaluation svg').waitFor()
    expect(await page.locator('#evaluation h2').innerText()).toBe(
      'always a would have earned more than what was played',
    )
    expect(await page.locator('.forest g.good').count()).toBe(1)
    await page.locator('#saved-runs').getByText('always a, always b').waitFor()
    const address = page.url()
    // b is shown to be worse: its button is in a menu, and the question repeats the loss.
    const worse = page.getByRole('button', { name: /Let it decide.*always b/ })
    expect(await worse.isVisible()).toBe(false)
    await page.locator('#evaluation summary').click()
    await worse.click()
    await page
      .getByRole('dialog')
      .getByText(/always b would have earned .* less per decision/)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave as it is' }).click()
    await page.getByRole('button', { name: /Let it decide.*always a/ }).click()
    await page.getByRole('dialog').getByText('this action is played every time').waitFor()
    expect(await axeFindingsInBothThemes(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Let it decide' }).click()
    await page.getByText('The baseline plays: every decision is “a”.').waitFor()
    const other = await pages.admin!.context().newPage()
    await other.goto(address)
    await other.getByLabel('always a').waitFor()
    expect(await other.getByLabel('always a').isChecked()).toBe(true)
    expect(await other.getByLabel('always b').isChecked()).toBe(true)
    await other.locator('#saved-runs').getByRole('button', { name: 'Show' }).click()
    await other.locator('#evaluation svg').waitFor()
    await other.close()
  })

  it('fits a phone', async () => {
    const page = pages.admin!
    await page.setViewportSize({ width: 390, height: 800 })
    for (const tab of ['decisions', 'evaluate', 'operate']) {
      await open('admin', `/${tab}`)
      await page.locator('.card').first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth'), tab).toBeLessThanOrEqual(390)
    }
  })

  it('retires a problem after a question', async () => {
    const page = await open('admin', '/operate')
    await page.getByRole('button', { name: 'Retire' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Retire' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Retire it' }).click()
    await page.locator('.toast', { hasText: 'shop is retired' }).waitFor()
    expect((await call<ProblemInfo>('GET', '/v1/problems/shop')).retired).not.toBeNull()
  })
})
