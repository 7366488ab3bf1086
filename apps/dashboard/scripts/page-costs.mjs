// npm run page-costs [-- --decisions 1000000]: what the page costs a browser and a network, where much was decided and much is asked for.
//   longest task of each view over WATCHED seconds, with so many decisions in the store and more coming in:  below 200 ms
//   bytes of a problem's page in its first 20 s, its files included:  below 300 kB
//   requests of the overview of 50 problems in its first 10 s:  below 30

import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { countingProxy } from './counting-proxy.mjs'
import { openBrowser } from './open-browser.mjs'
import { startService } from './started-service.mjs'

const { values } = parseArgs({ options: { decisions: { type: 'string', default: '1000000' } } })
const DECISIONS = Number(values.decisions)
const PROBLEMS = 50
const WATCHED = 10
const LIMITS = { task: 200, bytes: 300_000, requests: 30 }
/** Learning is frozen after these, so that filling the store takes minutes. */
const LEARNT = 20_000
const AT_ONCE = 8
const VIEWS = ['', '/learning', '/data', '/decisions', '/evaluate', '/operate', '/try']

const SHOP = {
  context: { age: { type: 'number', min: 18, max: 95 }, member: { type: 'boolean' } },
  covariates: { income: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
  guards: { baseline: 'a', holdout: 0.02 },
}

const service = await startService((folder) => ['serve', '--store', `sqlite:${join(folder, 'costs.db')}`])
const proxy = await countingProxy(service.url)
const browser = await openBrowser()
// Contexts stay open: the packaged browser ends with the first that is closed.
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
let failed = false

async function call(method, path, body) {
  const reply = await fetch(`${service.url}/v1/problems/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  })
  if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`)
  return reply.json()
}

async function decide(count) {
  const decisions = Array.from({ length: count }, () => ({
    context: { age: 18 + Math.floor(77 * Math.random()), member: Math.random() < 0.5 },
    covariates: { income: Math.random() < 0.4 ? null : Math.random() },
  }))
  const { results } = await call('POST', 'shop/decisions/batch', { decisions })
  const rewards = results.map(({ decisionId, action }, k) => ({
    id: decisionId,
    value: action === 'b' ? (decisions[k].covariates.income ?? 0.5) : Math.random() < 0.5 ? 1 : 0,
  }))
  await call('POST', 'shop/rewards/batch', { rewards })
}

function say(what, value, unit, limit) {
  const held = value < limit
  failed ||= !held
  const load = loadavg()[0].toFixed(1)
  process.stdout.write(`${held ? 'ok  ' : 'NO  '} ${what}: ${value} ${unit} (below ${limit}; load ${load})\n`)
}

/** A page whose long tasks are noted from its first line on. */
async function watch(path, ready) {
  const page = await context.newPage()
  await page.addInitScript(() => {
    globalThis.longTasks = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longTasks.push(Math.round(duration))
    }).observe({ type: 'longtask', buffered: true })
  })
  await page.goto(`${proxy.url}${path}`)
  await page.waitForSelector(ready, { timeout: 300_000 })
  return page
}

/** A task as long as this, to see that it is noticed. */
function spin(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(() => {
      const end = performance.now() + milliseconds
      while (performance.now() < end);
      resolve()
    })
  })
}

try {
  await call('PUT', 'shop', SHOP)
  for (let k = 1; k < PROBLEMS; k++) await call('PUT', `problem-${k}`, SHOP)
  const began = performance.now()
  for (let done = 0; done < DECISIONS; done += AT_ONCE * 100) {
    if (done >= LEARNT && done < LEARNT + AT_ONCE * 100) await call('POST', 'shop/freeze')
    await Promise.all(Array.from({ length: AT_ONCE }, () => decide(100)))
  }
  const filled = ((performance.now() - began) / 1000).toFixed(0)
  process.stdout.write(`${DECISIONS.toLocaleString('en')} decisions and rewards were made in ${filled} s\n`)
  // The first to ask waits until the log is read.
  const first = await watch('/#/problems/shop', '#value svg[role=img]')
  await first.close()

  const idle = await watch('/#/problems/shop', 'main .card')
  await idle.evaluate(spin, 2 * LIMITS.task)
  await idle.waitForTimeout(500)
  if (Math.max(0, ...(await idle.evaluate(() => globalThis.longTasks))) < LIMITS.task)
    throw new Error('the browser does not report long tasks')
  await idle.close()

  let busy = true
  const clients = (async () => {
    while (busy) {
      await decide(10)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  })()
  for (const view of VIEWS) {
    const page = await watch(`/#/problems/shop${view}`, 'main .card')
    await page.waitForTimeout(1000 * WATCHED)
    const tasks = await page.evaluate(() => globalThis.longTasks)
    say(
      `longest task of ${view === '' ? 'the overview of a problem' : view.slice(1)}`,
      Math.max(0, ...tasks),
      'ms',
      LIMITS.task,
    )
    await page.close()
  }
  const first20 = await (await browser.newContext()).newPage()
  proxy.counted()
  await first20.goto(`${proxy.url}/#/problems/shop`)
  await first20.waitForTimeout(20_000)
  say("bytes of a problem's page in 20 s", Math.round(proxy.counted().bytes / 1000), 'kB', LIMITS.bytes / 1000)
  await first20.close()
  const first10 = await (await browser.newContext()).newPage()
  proxy.counted()
  await first10.goto(`${proxy.url}/#/`)
  await first10.waitForTimeout(10_000)
  say(`requests of the overview of ${PROBLEMS} problems in 10 s`, proxy.counted().paths.length, '', LIMITS.requests)
  busy = false
  await clients
} finally {
  await browser.close()
  proxy.close()
  await service.stop()
}
process.exitCode = failed ? 1 : 0
