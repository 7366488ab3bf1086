// The charts in a real browser, on the gallery's data.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { build, type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser, openBrowser } from '../../scripts/open-browser.mjs'
import { axeFindingsInBothThemes } from '../page-axe.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const LONG = 60_000

describe.skipIf(found === null && !required)('charts', { timeout: LONG }, () => {
  let server: PreviewServer
  let outDir: string
  let browser: Browser
  let page: Page
  const errors: string[] = []

  beforeAll(async () => {
    const root = join(import.meta.dirname, '../..')
    outDir = mkdtempSync(join(tmpdir(), 'primo-charts-'))
    const input = join(root, 'charts.html')
    const config = { root, configFile: join(root, 'vite.config.ts'), logLevel: 'error' } as const
    await build({ ...config, build: { outDir, emptyOutDir: true, minify: false, rollupOptions: { input } } })
    server = await preview({ ...config, build: { outDir }, preview: { port: 0 } })
    browser = await openBrowser()
    page = await browser.newPage({ viewport: { width: 1200, height: 1000 }, hasTouch: true, acceptDownloads: true })
    page.setDefaultTimeout(LONG)
    page.on('pageerror', (error) => errors.push(error.message))
    await page.goto(`${server.resolvedUrls!.local[0]}charts.html`)
    await page.locator('#sweep svg[role=img]').waitFor()
  }, 2 * LONG)

  afterAll(async () => {
    await browser?.close()
    await server?.close()
    rmSync(outDir, { recursive: true, force: true })
  }, LONG)

  const plot = (id: string) => page.locator(`#${id} svg[role=img]`)
  const box = async (id: string) => (await plot(id).boundingBox())!
  const ticks = (id: string) => plot(id).locator('> text, > g > text').allTextContents()
  const rows = async (id: string) => {
    const found = await page.locator(`#${id} .chart-tip tr`).all()
    return Promise.all(found.map(async (row) => (await row.locator('td').allInnerTexts()).map((text) => text.trim())))
  }

  it('show one crosshair in all charts of an axis, and values beside it in the one that is read', async () => {
    await plot('reward').hover({ position: { x: 900, y: 120 } })
    const line = (id: string) => page.locator(`#${id} .chart-crosshair > line`)
    const [here, there] = [await line('reward').getAttribute('x1'), await line('shares').getAttribute('x1')]
    expect(Math.abs(Number(here) - 900)).toBeLessThan(20)
    expect(Number(there)).toBeGreaterThan(0)
    expect(await line('twelve').count()).toBe(0)
    expect(await page.locator('.chart-tip').count()).toBe(1)
    // What ended long before has no value here.
    const read = await rows('reward')
    expect(read.map(([name]) => name)).toEqual(['last 5 min', 'all so far', 'at random'])
    expect(read[1]![2]).toMatch(/^1\.\d+ to 1\.\d+$/)
    expect(read[2]).toEqual(['at random', '–', ''])
    const tip = (await page.locator('.chart-tip').boundingBox())!
    const chart = await box('reward')
    expect(tip.x + tip.width).toBeLessThan(chart.x + 900)
    expect(chart.x + 900 - tip.x - tip.width).toBeLessThan(40)
  })

  it('leave gaps, and end a line and its name where its data end', async () => {
    expect(await plot('reward').locator('[data-line="all so far"] polyline').count()).toBe(2)
    const end = async (name: string) =>
      (await plot('reward').locator('text.chart-name', { hasText: name }).boundingBox())!
    const chart = await box('reward')
    expect((await end('at random')).x).toBeLessThan(chart.x + chart.width / 2)
    expect((await end('all so far')).x).toBeGreaterThan(chart.x + 0.85 * chart.width)
    expect(await plot('reward').locator('.chart-event').count()).toBe(27)
  })

  it('zoom together by dragging and come back', async () => {
    const before = await ticks('shares')
    const chart = await box('reward')
    await page.mouse.move(chart.x + 700, chart.y + 90)
    await page.mouse.down()
    await page.mouse.move(chart.x + 900, chart.y + 100, { steps: 4 })
    expect(await page.locator('.chart-brush').count()).toBe(1)
    await page.mouse.up()
    const after = await ticks('shares')
    expect(after).not.toEqual(before)
    expect(await page.getByLabel('Time range').inputValue()).toBe('custom')
    const [from, to] = [
      await page.getByLabel('From', { exact: true }).inputValue(),
      await page.getByLabel('To', { exact: true }).inputValue(),
    ]
    expect(from < to).toBe(true)
    await page.getByLabel('From', { exact: true }).fill('2030-01-07T00:00:00')
    expect(await ticks('shares')).not.toEqual(after)
    await page.locator('#shares').getByRole('button', { name: 'Show all' }).click()
    expect(await ticks('shares')).toEqual(before)
    expect(await page.getByLabel('Time range').inputValue()).toBe('all')
  })

  it('are read and zoomed by keys', async () => {
    const before = await ticks('twelve')
    await plot('twelve').focus()
    await page.keyboard.press('End')
    expect((await rows('twelve'))[0]).toEqual(['series 1', '18.7', ''])
    expect(await page.locator('#twelve [role=status]').innerText()).toContain('7,800: series 1 18.7')
    for (let k = 0; k < 5; k++) await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Enter')
    const zoomed = await ticks('twelve')
    expect(zoomed).toContain('7,000')
    expect(zoomed).not.toContain('2,000')
    await page.keyboard.press('Escape')
    expect(await page.locator('.chart-tip').count()).toBe(0)
    await page.keyboard.press('Escape')
    expect(await ticks('twelve')).toEqual(before)
  })

  it('are read with one finger and zoomed with two', async () => {
    const chart = await box('reward')
    const session = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...across: number[]) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: across.map((x, id) => ({ x: chart.x + x, y: chart.y + 100, id })),
      })
    await touch('touchStart', 300)
    await touch('touchMove', 340)
    await touch('touchEnd')
    expect(await page.locator('#reward .chart-tip').count()).toBe(1)
    const before = await ticks('reward')
    await touch('touchStart', 650)
    await touch('touchStart', 650, 700)
    await touch('touchMove', 650, 850)
    await touch('touchEnd')
    await page.getByRole('button', { name: 'Show all' }).first().waitFor()
    expect(await ticks('reward')).not.toEqual(before)
    await page.getByRole('button', { name: 'Show all' }).first().click()
  })

  it('hide a line by its switch and show one alone', async () => {
    const strokes = () => plot('twelve').locator('polyline').count()
    const switches = page.locator('#twelve .chart-legend button')
    expect(await strokes()).toBe(12)
    await switches.nth(3).click()
    expect(await switches.nth(3).getAttribute('aria-pressed')).toBe('false')
    expect(await strokes()).toBe(11)
    await switches.nth(3).click()
    await switches.nth(5).dblclick()
    expect(await strokes()).toBe(1)
    await switches.nth(5).dblclick()
    expect(await strokes()).toBe(12)
  })

  it('have twelve colours and names no longer than 24 characters, the whole on hover', async () => {
    const fills = await plot('shares')
      .locator('polygon')
      .evaluateAll((areas) => areas.map((area) => getComputedStyle(area).fill))
    expect(new Set(fills).size).toBe(12)
    const long = page.locator('#shares .chart-legend button').last()
    expect([...(await long.innerText()).trim()]).toHaveLength(24)
    expect(await long.getAttribute('title')).toContain('a'.repeat(64))
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await page.setViewportSize({ width: 1200, height: 1000 })
  })

  it('are saved as PNG and CSV', async () => {
    const save = async (name: string): Promise<Buffer> => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('#reward').getByRole('button', { name }).click(),
      ])
      expect(file.suggestedFilename()).toMatch(/^mean-reward\.(png|csv)$/)
      return readFileSync(await file.path())
    }
    // A smaller picture is quicker to paint.
    await page.setViewportSize({ width: 700, height: 800 })
    const table = (await save('CSV')).toString().trim().split('\n')
    expect(table[0]).toBe(
      'time,last 5 min,last 5 min (low),last 5 min (high),all so far,all so far (low),all so far (high),at random',
    )
    expect(table).toHaveLength(1 + 53)
    expect(table[1]).toMatch(/^2030-01-07T09:00:00.000Z,1\.2/)
    expect(table.at(-1)).toMatch(/,$/)
    const picture = await save('PNG')
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    // More than a blank sheet: lines, bands and text.
    expect(picture.length).toBeGreaterThan(15_000)
    await page.setViewportSize({ width: 1200, height: 1000 })
  })

  it('have no findings, light and dark', async () => {
    expect(await axeFindingsInBothThemes(page)).toEqual([])
    expect(errors).toEqual([])
  })
})
