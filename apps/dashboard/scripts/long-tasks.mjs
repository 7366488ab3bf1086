// node apps/dashboard/scripts/long-tasks.mjs URL [seconds]: how responsive the page is. Watches a problem's page and the
// overview in a real browser and prints the tasks over 50 ms that the browser reports.

import { openBrowser } from './open-browser.mjs'

const [url, seconds = '60'] = process.argv.slice(2)
if (url === undefined) throw new Error('the address of a running service must be given')
const browser = await openBrowser()
try {
  for (const path of ['/#/problems/dosing', '/#/']) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
    await page.addInitScript(() => {
      globalThis.longTasks = []
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) globalThis.longTasks.push(Math.round(duration))
      }).observe({ type: 'longtask', buffered: true })
    })
    await page.goto(`${url}${path}`)
    await page.waitForSelector('svg[role=img]', { timeout: 120_000 })
    await page.waitForTimeout(1000 * Number(seconds))
    const tasks = await page.evaluate(() => globalThis.longTasks)
    process.stdout.write(
      `${JSON.stringify({ path, seconds: Number(seconds), over50: tasks.length, longest: Math.max(0, ...tasks) })}\n`,
    )
    await page.close()
  }
} finally {
  await browser.close()
}
