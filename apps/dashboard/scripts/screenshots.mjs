// npm run screenshots [-- FOLDER]: the page, looked at by a browser. Without a folder, the pictures of docs/images; with one, every view in
// every state, to be looked at.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from './open-browser.mjs'
import { KEYS, LONG_NAME, startServiceInStates } from './service-in-states.mjs'
import { startService } from './started-service.mjs'

const [folder] = process.argv.slice(2)
const images = folder ?? join(import.meta.dirname, '../../../docs/images')
/** Decisions of the demo's first problem before the pictures are taken. */
const ROUNDS = Number(process.env.PRIMO_SCREENSHOT_ROUNDS ?? 6000)
const WAIT = 180_000

const SIZES = [
  { name: 'wide-light', width: 1440, height: 900, scheme: 'light' },
  { name: 'wide-dark', width: 1440, height: 900, scheme: 'dark' },
  { name: 'phone-light', width: 390, height: 844, scheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, scheme: 'dark' },
  { name: 'middle-light', width: 1024, height: 768, scheme: 'light' },
]

/** What docs/images has. */
const KEPT = [
  ['overview', ['wide-light', 'wide-dark', 'phone-dark']],
  ['problem', ['wide-light', 'phone-light']],
  ['learning', ['wide-light']],
  ['data', ['wide-dark']],
  ['explorer', ['wide-light']],
  ['evaluate', ['wide-light']],
  ['operate', ['wide-light']],
  ['try', ['wide-light']],
  ['new', ['wide-light']],
  ['many', ['wide-light']],
  ['first-steps', ['wide-light']],
  ['sign-in', ['wide-light']],
  ['playground', ['wide-dark']],
]

const demoViews = (decision) => [
  ['overview', '/#/', '#dosing-picture svg[role=img]'],
  ['problem', '/#/problems/dosing', '#value svg[role=img]'],
  ['learning', '/#/problems/dosing/learning', '#calibration svg[role=img]'],
  ['data', '/#/problems/dosing/data', '#missing svg[role=img]'],
  ['decisions', '/#/problems/dosing/decisions', 'main .card'],
  ['explorer', `/#/problems/dosing/decisions/${decision}`, '#ranking'],
  ['evaluate', '/#/problems/dosing/evaluate', 'main .card, main .empty'],
  ['operate', '/#/problems/dosing/operate', 'main .card'],
  ['try', '/#/problems/dosing/try', 'main .card, main .empty'],
  ['edit', '/#/problems/dosing/edit', '#review'],
  ['new', '/#/new', '#review'],
  ['playground', '/playground.html', 'main svg[role=img]'],
  ['reference', '/docs', '.primo-bar'],
]

const stateViews = [
  ['sign-in', '/#/', '.sign-in', null],
  ['many', '/#/', '#problems', KEYS.read],
  ['first-steps', '/#/problems/empty', '#first-steps', KEYS.admin],
  ['attention', '/#/problems/attention', '.attention', KEYS.read],
  ['frozen', '/#/problems/triage', '.banner.frozen', KEYS.read],
  ...['overview', 'learning', 'data', 'decisions', 'operate', 'edit'].map((tab) => [
    `long-names-${tab}`,
    `/#/problems/${LONG_NAME}/${tab}`,
    'main .card',
    KEYS.read,
  ]),
  ...['overview', 'learning', 'data'].map((tab) => [
    `two-values-${tab}`,
    `/#/problems/two-values/${tab}`,
    'main .card',
    KEYS.read,
  ]),
]

const browser = await openBrowser()
const contexts = new Map()

/** Contexts stay open: the packaged browser ends with the first that is closed. */
async function contextOf(name, options) {
  if (!contexts.has(name)) contexts.set(name, await browser.newContext(options))
  return contexts.get(name)
}

/** The picture as WebP, which the browser writes: a third of the size. */
async function smaller(picture) {
  const page = await (await contextOf('webp', {})).newPage()
  const text = await page.evaluate(async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
    const canvas = new OffscreenCanvas(image.width, image.height)
    canvas.getContext('2d').drawImage(image, 0, 0)
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 })).arrayBuffer())
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  }, picture.toString('base64'))
  await page.close()
  return Buffer.from(text, 'base64')
}

const wanted = (view) =>
  SIZES.filter(
    ({ name }) => folder !== undefined || KEPT.some(([kept, sizes]) => kept === view && sizes.includes(name)),
  )

async function open(url, [, path, ready, key = ''], { name, width, height, scheme }) {
  const options = { viewport: { width, height }, colorScheme: scheme, reducedMotion: 'reduce' }
  const page = await (await contextOf(name, options)).newPage()
  if (key) await page.addInitScript((secret) => sessionStorage.setItem('primo-key', secret), key)
  await page.goto(`${url}${path}`)
  await page.waitForSelector(ready, { timeout: WAIT })
  await page.waitForTimeout(1500)
  return page
}

async function shoot(page, view, { name }) {
  const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  const picture = await page.screenshot({ fullPage: folder !== undefined })
  const bytes = folder === undefined ? await smaller(picture) : picture
  writeFileSync(join(images, `${view}-${name}.${folder === undefined ? 'webp' : 'png'}`), bytes)
  const note = wider > 0 ? `, ${wider} px wider than the window` : ''
  process.stdout.write(`${view}-${name}: ${Math.round(bytes.length / 1024)} kB${note}\n`)
  await page.close()
}

/** `doing`: what is done on the page before its picture. */
async function take(url, view, doing = async () => {}) {
  for (const size of wanted(view[0])) {
    const page = await open(url, view, size)
    await doing(page)
    await shoot(page, view[0], size)
  }
}

/** Asks what two policies would have earned, and waits for the answer. */
async function evaluate(page) {
  if (await page.locator('#evaluation').count()) return
  await page.getByLabel('always medium').check()
  await page.getByLabel('choosing at random').check()
  await page.getByRole('button', { name: 'Evaluate' }).click()
  await page.waitForSelector('#evaluation svg', { timeout: WAIT })
}

async function decided(url) {
  const { problems } = await (await fetch(`${url}/demo/comparison`)).json()
  return problems[0]?.rounds ?? 0
}

const DOING = {
  evaluate,
  playground: (page) => page.getByText('repeats are done').waitFor({ timeout: WAIT }),
}

mkdirSync(images, { recursive: true })
const started = []
try {
  const given = process.env.PRIMO_URL
  const demo = given === undefined ? await startService((at) => ['demo', '--data', join(at, 'demo')]) : { url: given }
  if (demo.stop !== undefined) started.push(demo)
  const states = await startServiceInStates()
  started.push(states)
  const nothing = await startService((at) => ['serve', '--store', `sqlite:${at}/nothing.db`])
  started.push(nothing)
  for (const view of stateViews) await take(states.url, view)
  while ((await decided(demo.url)) < ROUNDS) await new Promise((resolve) => setTimeout(resolve, 1000))
  const { latest } = await (await fetch(`${demo.url}/v1/problems/dosing/history`)).json()
  const { decisionId } = latest.find(({ missing }) => missing.length > 0) ?? latest[0]
  for (const view of demoViews(decisionId)) await take(demo.url, view, DOING[view[0]])
  await take(nothing.url, ['nothing', '/#/', '.empty'])
  if (folder !== undefined) {
    const view = ['stopped', '/#/problems/two-values', '#value', KEYS.read]
    const opened = []
    for (const size of SIZES) opened.push([await open(states.url, view, size), size])
    await states.stop()
    await opened[0][0].waitForTimeout(6000)
    for (const [page, size] of opened) await shoot(page, view[0], size)
  }
} finally {
  await browser.close()
  for (const { stop } of started) await stop()
}
