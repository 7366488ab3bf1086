// The playground as it was built, from a static host: no service answers anything.

import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser, openBrowser } from '../../scripts/open-browser.mjs'
import { axeFindingsInBothThemes } from '../page-axe.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const LONG = 60_000

const table = [
  'age,marker,reward_low,reward_high',
  ...Array.from({ length: 600 }, (_, k) => {
    const marker = (k * 7) % 11
    return `${20 + (k % 50)},${k % 3 === 0 ? '' : marker},${marker < 5 ? 1 : 0},${marker < 5 ? 0 : 1}`
  }),
].join('\n')

describe.skipIf(found === null && !required)('the playground in a browser', { timeout: LONG }, () => {
  let server: PreviewServer
  let browser: Browser
  let page: Page
  let address: string
  const errors: string[] = []
  const asked: string[] = []

  beforeAll(async () => {
    const root = join(import.meta.dirname, '../..')
    server = await preview({ root, configFile: false, base: './', logLevel: 'error', preview: { port: 0 } })
    address = `${server.resolvedUrls!.local[0]}playground.html`
    browser = await openBrowser()
    page = await browser.newPage({ viewport: { width: 1200, height: 900 } })
    page.setDefaultTimeout(LONG)
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  }, 2 * LONG)

  afterAll(async () => {
    await browser?.close()
    await server?.close()
  }, LONG)

  it('begins with dosing at 32,768 decisions', async () => {
    await page.goto(address)
    expect(await page.getByLabel('Scenario').inputValue()).toBe('dosing')
    expect(await page.getByLabel('Decisions').inputValue()).toBe('32768')
    await page.locator('#curves [data-line="PRIMO, uncorrected"] polyline').waitFor()
  })

  it('keeps its state in the address, and old curves as ghosts while new ones run', async () => {
    await page.goto(`${address}#/?rounds=4096&scenario=A&share=0.8`)
    await page.reload()
    expect(await page.getByLabel('Unknown values').getAttribute('aria-valuetext')).toBe('80%')
    await page.locator('#curves polyline').first().waitFor()
    await page.getByLabel('Unknown values').fill('0.3')
    await page.locator('#curves g[data-line][opacity="0.3"]').first().waitFor()
    expect(new URL(page.url()).hash).toContain('share=0.3')
    await page.getByRole('button', { name: 'Values hidden on purpose' }).click()
    expect(new URL(page.url()).hash).toBe('#/?mnar=2')
    expect(await page.getByLabel('Hidden on purpose').inputValue()).toBe('2')
    expect(await axeFindingsInBothThemes(page)).toEqual([])
  })

  it('replays a dropped table without a server', async () => {
    await page.getByRole('link', { name: 'Your own table' }).click()
    await page
      .getByLabel('Choose a CSV file')
      .setInputFiles({ name: 'visits.csv', mimeType: 'text/csv', buffer: Buffer.from(table) })
    await page.getByRole('heading', { name: 'visits.csv: 600 rows' }).waitFor()
    expect(await page.getByLabel('What marker is').inputValue()).toBe('covariate')
    await page.getByLabel('What reward_high is').selectOption('out')
    await page.getByText('Choose the rewards of at least two actions').first().waitFor()
    await page.getByLabel('What reward_high is').selectOption('reward')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('All 4 repeats are done.').waitFor()
    expect(await page.locator('#replayed h2').innerText()).toMatch(/On this table Primo earns|No verdict yet/)
    expect(await page.locator('#replayed [data-line] polyline').count()).toBe(6)
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await axeFindingsInBothThemes(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect(asked.filter((path) => !/^\/(playground\.html|assets\/[\w.-]+)?$/.test(path))).toEqual([])
    expect(errors).toEqual([])
  })
})
