// npm run screenshots: the demo, looked at by a browser, into docs/images. Overview, problem, explorer and playground; light
// and dark, wide and phone.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowser } from './open-browser.mjs'

const root = join(import.meta.dirname, '../../..')
const images = process.argv[2] ?? join(root, 'docs/images')
/** Decisions of each problem before the pictures are taken. */
const ROUNDS = Number(process.env.PRIMO_SCREENSHOT_ROUNDS ?? 6000)

const SHOTS = [
  { name: 'wide-light', width: 1280, height: 900, scheme: 'light' },
  { name: 'wide-dark', width: 1280, height: 900, scheme: 'dark' },
  { name: 'phone-light', width: 390, height: 844, scheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, scheme: 'dark' },
]

/** An address given in PRIMO_URL is used as it is. */
async function startDemo() {
  if (process.env.PRIMO_URL !== undefined) return { url: process.env.PRIMO_URL, stop: () => undefined }
  const folder = mkdtempSync(join(tmpdir(), 'primo-screenshots-'))
  const bin = join(root, 'apps/cli/bin/primo.js')
  const child = spawn(process.execPath, [bin, 'demo', '--data', join(folder, 'demo'), '--port', '0'])
  const url = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (bytes) => {
      text += bytes
      const found = /http:\/\/\S+/.exec(text)
      if (found !== null) resolve(found[0])
    })
    child.once('exit', () => reject(new Error(`the demo ended: ${text}`)))
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGINT')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, stop }
}

async function decided(url) {
  const reply = await fetch(`${url}/demo/comparison`)
  const { problems } = await reply.json()
  return problems.length === 0 ? 0 : Math.min(...problems.map(({ rounds }) => rounds))
}

/** The picture as WebP, which the browser writes: a third of the size. */
async function smaller(browser, picture) {
  const page = await browser.newPage()
  const text = await page.evaluate(async (png) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
    const canvas = new OffscreenCanvas(image.width, image.height)
    canvas.getContext('2d').drawImage(image, 0, 0)
    const bytes = new Uint8Array(
      await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.86 })).arrayBuffer(),
    )
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  }, picture.toString('base64'))
  await page.close()
  return Buffer.from(text, 'base64')
}

mkdirSync(images, { recursive: true })
const demo = await startDemo()
const browser = await openBrowser()
try {
  while ((await decided(demo.url)) < ROUNDS) await new Promise((resolve) => setTimeout(resolve, 1000))
  const reply = await fetch(`${demo.url}/v1/problems/dosing/history`)
  const { latest } = await reply.json()
  const { decisionId } = latest.find(({ missing }) => missing.length > 0) ?? latest[0]
  const views = [
    ['overview', '/#/', 'svg[role=img]'],
    ['problem', '/#/problems/dosing', '#epochs table'],
    ['explorer', `/#/problems/dosing/decisions/${decisionId}`, '#ranking table'],
    ['playground', '/playground.html', 'text=8 seeds done'],
  ]
  for (const { name, width, height, scheme } of SHOTS) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      reducedMotion: 'reduce',
    })
    for (const [view, path, ready] of views) {
      const page = await context.newPage()
      await page.goto(`${demo.url}${path}`)
      await page.waitForSelector(ready, { timeout: 180_000 })
      await page.waitForTimeout(view === 'problem' ? 7000 : 500)
      const file = join(images, `${view}-${name}.webp`)
      const picture = await page.screenshot({ fullPage: width > 1000 && (view === 'problem' || view === 'explorer') })
      const bytes = await smaller(browser, picture)
      writeFileSync(file, bytes)
      if (process.env.PRIMO_SCREENSHOT_PNG !== undefined) writeFileSync(file.replace('.webp', '.png'), picture)
      process.stdout.write(`${file} ${Math.round(bytes.length / 1024)} kB\n`)
      await page.close()
    }
    await context.close()
  }
} finally {
  await browser.close()
  await demo.stop()
}
