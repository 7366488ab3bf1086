// The page of a service with keys and many problems: signing in, what a role may do, the ways between views, making and changing a
// problem, its first steps.

import { createHash } from 'node:crypto'
import type { ProblemDefinition, ProblemInfo, ProblemSummary } from '@primo/contract'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser, openBrowser } from '../scripts/open-browser.mjs'
import { axeFindingsInBothThemes } from './page-axe.fixture.js'
import { type StartedPrimo, startPrimo } from './started-primo.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const LONG = 60_000
const LONG_NAME = 'a-name-of-sixty-four-characters-that-would-widen-any-page-at-all'

const entry = (role: string) => `${role}:${createHash('sha256').update(`secret-${role}`).digest('hex')}`

const SHOP: ProblemDefinition = {
  context: { x: { type: 'number', min: 0, max: 1 } },
  covariates: {
    z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } },
    w: { type: 'boolean', imputer: { kind: 'constant', value: 0.5 } },
  },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
  guards: { baseline: 'a', holdout: 0.1 },
}

describe.skipIf(found === null && !required)('the shell of the page', { timeout: LONG }, () => {
  let primo: StartedPrimo
  let browser: Browser
  let page: Page

  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer secret-admin' }
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await fetch(`${primo.url}${path}`, { method, headers, ...given })
    expect(reply.status, await reply.clone().text()).toBeLessThan(300)
    return (await reply.json()) as T
  }

  async function open(path: string): Promise<void> {
    await page.goto(`${primo.url}/${path}`)
  }

  async function signIn(key: string): Promise<void> {
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  /** Another key without going through the form. */
  async function useKey(key: string): Promise<void> {
    await page.evaluate((secret) => sessionStorage.setItem('primo-key', secret), key)
    await page.reload()
  }

  /** By the keyboard alone; fails where it cannot be reached. */
  async function tabTo(target: Locator): Promise<void> {
    await target.waitFor()
    for (let presses = 0; presses < 150; presses++) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    throw new Error('it cannot be reached by keys')
  }

  const widerThanWindow = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')

  beforeAll(async () => {
    browser = await openBrowser()
    primo = await startPrimo((folder) => [
      ...['serve', '--store', `sqlite:${folder}/keyed.db`, '--keys', `${entry('read')},${entry('admin')}`],
    ])
    for (const name of ['shop', 'empty', LONG_NAME, ...Array.from({ length: 11 }, (_, i) => `problem-${i}`)])
      await call(
        'PUT',
        `/v1/problems/${name}`,
        name === LONG_NAME ? { ...SHOP, actions: [LONG_NAME, 'b'], guards: {} } : SHOP,
      )
    for (const name of ['shop', LONG_NAME])
      for (let k = 0; k < 40; k++) {
        const { decisionId } = await call<{ decisionId: string }>('POST', `/v1/problems/${name}/decisions`, {
          context: { x: k / 40 },
          covariates: { z: k % 2 === 0 ? null : 0.3 },
        })
        await call('POST', `/v1/problems/${name}/decisions/${decisionId}/reward`, { value: k % 2 })
      }
    const context = await browser.newContext({ bypassCSP: true, viewport: { width: 1280, height: 800 } })
    page = await context.newPage()
    page.setDefaultTimeout(LONG / 2)
  }, 2 * LONG)

  afterAll(async () => {
    await browser?.close()
    await primo?.stop()
  }, LONG)

  it('asks for a key with a card, and says that a wrong one was not taken', async () => {
    await open('#/problems/shop')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.locator('[data-figure]').count()).toBe(0)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await axeFindingsInBothThemes(page)).toEqual([])
    await signIn('nonsense')
    await page.getByRole('alert').getByText('the key is not known').waitFor()
  })

  it('shows what a key of role read may see, and its role; the key stays in the tab', async () => {
    await signIn('secret-read')
    await page.locator('[data-figure=decisions]').getByText('40').waitFor()
    await page.getByText('Key of role read').waitFor()
    expect(page.url()).not.toContain('secret')
    const other = await page.context().newPage()
    await other.goto(`${primo.url}/#/problems/shop`)
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.close()
  })

  it('greys what the role may not do, with the reason', async () => {
    await open('#/new')
    await page.getByLabel('Name of the problem').fill('never')
    const create = page.getByRole('button', { name: 'Create problem' })
    expect(await create.getAttribute('aria-disabled')).toBe('true')
    await create.focus()
    await page.getByRole('tooltip').getByText('needs a key of role admin; yours is of role read').waitFor()
  })

  it('lists many problems in a table that sorts, and finds one by its name', async () => {
    await open('#/')
    const rows = page.locator('#problems tbody tr')
    await expect.poll(() => rows.count()).toBe(14)
    await page.locator('#problems').getByRole('button', { name: 'decisions' }).click()
    await expect.poll(() => rows.first().innerText()).toContain('40')
    await page.getByLabel('Search problems').fill('problem-1')
    await expect.poll(() => page.locator('.sidebar nav a[title]:not([aria-label])').count()).toBe(2)
    expect(await axeFindingsInBothThemes(page)).toEqual([])
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await widerThanWindow(), `${width}`).toBe(false)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByLabel('Search problems').fill('')
  })

  it('keeps long names inside the page', async () => {
    for (const tab of ['', '/learning', '/data', '/decisions', '/evaluate', '/operate', '/try', '/edit'])
      for (const width of [1024, 390]) {
        await page.setViewportSize({ width, height: 800 })
        await open(`#/problems/${LONG_NAME}${tab}`)
        await page.locator('main .card, main .empty').first().waitFor()
        expect(await widerThanWindow(), `${tab} ${width}`).toBe(false)
      }
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('opens every tab from its address, named for both covariates, and going back keeps the scroll', async () => {
    await open('#/problems/shop/data?range=day')
    await page
      .locator('#missing h2')
      .getByText(/z .*w /)
      .waitFor()
    expect(await page.getByLabel('Time range').inputValue()).toBe('day')
    await page.setViewportSize({ width: 1280, height: 400 })
    await expect.poll(() => page.evaluate('scrollTo(0, 300), scrollY')).toBe(300)
    // A click of the browser's driver would scroll the link into sight first.
    await page.evaluate(`document.querySelector('.tabs a[href*="/learning"]').click()`)
    await page.locator('#calibration').waitFor()
    expect(page.url()).toContain('/learning?range=day')
    await page.goBack()
    await page.locator('#missing').waitFor()
    await expect.poll(() => page.evaluate('scrollY')).toBe(300)
    await page.setViewportSize({ width: 1280, height: 800 })
    for (const tab of ['', '/learning', '/data', '/decisions', '/evaluate', '/operate', '/try']) {
      await open(`#/problems/shop${tab}`)
      await page.locator('main .card, main .empty').first().waitFor()
    }
  })

  it('says in the head of a problem how it is, and on the overview what needs attention, with what to do', async () => {
    await open('#/problems/shop')
    await page.locator('.tiles').waitFor()
    expect(await page.locator('.tiles > *').count()).toBe(4)
    for (const said of ['Reward per decision, last hour', 'Rewards back, last hour', 'Missing: w', 'Answered within'])
      await page.locator('.tiles').getByText(said).first().waitFor()
    // The pill, the sidebar and the sentence say the same.
    await page.locator('.name-row .pill').getByText('learning', { exact: true }).waitFor()
    await page.locator('[data-verdict=open]').getByText('Learning: no verdict yet.').waitFor()
    expect(await page.locator('.sidebar a[title=shop] .dot').getAttribute('aria-label')).toBe('learning')
    await call('PUT', '/v1/problems/clipped', { ...SHOP, context: { x: { ...SHOP.context.x, outside: 'clip' } } })
    const decisions = Array.from({ length: 20 }, () => ({ context: { x: 3 } }))
    await call('POST', '/v1/problems/clipped/decisions/batch', { decisions })
    await open('#/')
    const noticed = page.locator('.attention li', { hasText: 'clipped: 20 values of x were outside its range' })
    await noticed.getByText('Widen the range of x in the definition').waitFor()
    await noticed.getByRole('link', { name: 'clipped' }).click()
    await page.locator('.name-row .pill').getByText('needs attention').waitFor()
    await page.locator('.attention li').getByText('Widen the range of x').waitFor()
    expect(await axeFindingsInBothThemes(page)).toEqual([])
  })

  it('shows a problem without decisions three steps, and its first decision as soon as it arrives', async () => {
    await open('#/problems/empty')
    await page.getByText('waiting for the first decision').waitFor()
    expect(await page.locator('#first-steps pre').first().innerText()).toContain('$PRIMO_KEY')
    expect(await axeFindingsInBothThemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Python' }).click()
    expect(await page.locator('#first-steps pre').first().innerText()).toContain('from primo_client import Client')
    await call('POST', '/v1/problems/empty/decisions', { context: { x: 0.5 } })
    await page.locator('[data-figure=decisions]').waitFor()
    expect(await page.locator('#first-steps').count()).toBe(0)
  })

  it('makes a problem from a dropped table and with the keyboard alone', async () => {
    await open('#/')
    await useKey('secret-admin')
    await open('#/new')
    const drop = (outcome: string) =>
      page.locator('input[type=file]').setInputFiles({
        name: 'visits.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(`age,carrier,action,${outcome}\n61,NA,low,1\n45,2,high,0\n70,0,low,1\n`),
      })
    await drop('q7')
    const question = page.getByLabel('Which column holds the outcome?')
    await question.waitFor()
    expect(await page.getByRole('button', { name: 'Create problem' }).getAttribute('aria-disabled')).toBe('true')
    expect(await page.getByText('This makes a new problem.').count()).toBe(0)
    await question.selectOption('q7')
    await page.getByText('This makes a new problem.').waitFor()
    await drop('reward')
    await page.locator('#table').getByText('33% ("NA")').waitFor()
    await page.getByText('This makes a new problem.').waitFor()
    expect(await axeFindingsInBothThemes(page)).toEqual([])
    await page.getByLabel('Name of the problem').focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('visits-2')
    await page.getByText('This makes a new problem.').waitFor()
    await page.getByRole('button', { name: 'Create problem' }).focus()
    await expect
      .poll(() => page.getByRole('button', { name: 'Create problem' }).getAttribute('aria-disabled'))
      .toBe('false')
    await page.keyboard.press('Enter')
    await page.getByText('visits-2 was made').waitFor()
    await page.locator('#first-steps').waitFor()
    const { definition } = await call<ProblemInfo>('GET', '/v1/problems/visits-2')
    expect(definition.actions).toEqual(['high', 'low'])
    expect(Object.keys(definition.covariates)).toEqual(['carrier'])
    expect(definition.guards?.baseline).toBeUndefined()
  })

  it('lets the keyboard alone make a problem, try a decision and make it', async () => {
    await open('#/new')
    await page.reload()
    await page.getByLabel('Name of the problem').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.locator('main').evaluate((element) => element === document.activeElement)).toBe(true)
    const name = (part: string) => page.locator(part).getByLabel('Name', { exact: true })
    for (const [target, text] of [
      [page.getByLabel('Name of the problem'), 'by-keys'],
      [name('#context'), 'age'],
      [name('#covariates'), 'income'],
    ] as const) {
      await tabTo(target)
      await page.keyboard.type(text)
    }
    await tabTo(page.getByLabel('Actions, one per line'))
    await page.keyboard.type('low\nhigh')
    await page.getByText('This makes a new problem.').waitFor()
    await tabTo(page.getByRole('button', { name: 'Create problem' }))
    await page.keyboard.press('Enter')
    await page.getByText('by-keys was made').waitFor()
    await tabTo(page.getByRole('link', { name: 'try one here' }))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'All actions are equally likely' }).waitFor()
    await tabTo(page.getByRole('switch', { name: 'income is missing' }))
    await page.keyboard.press('Space')
    await tabTo(page.getByRole('button', { name: 'Save as a decision' }))
    await page.keyboard.press('Enter')
    await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Make the decision' }))
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'See this decision explained' }).waitFor()
    expect((await call<ProblemSummary>('GET', '/v1/problems/by-keys/summary')).decisions).toBe(1)
  })

  it('says before a change whether it keeps what was learnt', async () => {
    await open('#/problems/shop/edit')
    const smallest = page.locator('#context').getByLabel('Smallest')
    await smallest.fill('-1')
    await page.getByText('This keeps what was learnt').waitFor()
    await smallest.fill('0.5')
    await page.getByText('This would start learning anew.').waitFor()
    await page.getByRole('button', { name: 'Save and start learning anew' }).waitFor()
    await smallest.fill('7')
    await page.locator('#review .note').waitFor()
    expect(await axeFindingsInBothThemes(page)).toEqual([])
  })

  it('leads to the API reference and back', async () => {
    await open('#/')
    await page.getByRole('link', { name: 'API reference' }).click()
    await page.getByText('Decide many at once').first().waitFor()
    expect(await page.title()).toBe('Primo API reference')
    await page.getByRole('link', { name: 'Back to the page' }).click()
    await page.locator('#problems').waitFor()
  })

  it('says where there is no page', async () => {
    await open('#/nowhere')
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  })
})
