// A real browser: the one that CHROME_PATH names, one of the system, or the one that comes as a package.

import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const ARGUMENTS = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu']

/** Null when there is none. */
export async function findBrowser() {
  const named = process.env.CHROME_PATH
  if (named !== undefined && named !== '') return { executablePath: named, args: ARGUMENTS }
  const found = PLACES.find((place) => existsSync(place))
  if (found !== undefined) return { executablePath: found, args: ARGUMENTS }
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    // The package switches off the same-origin policy; users' browsers do not.
    const args = packaged.args.filter((one) => one !== '--disable-web-security')
    return { executablePath: await packaged.executablePath(), args }
  } catch {
    return null
  }
}

/** Opens it with extra arguments. Throws when there is none, or it does not start. */
export async function openBrowser(more = []) {
  const found = await findBrowser()
  if (found === null) throw new Error('no browser was found: set CHROME_PATH')
  return chromium.launch({ ...found, args: [...found.args, ...more], headless: true })
}
