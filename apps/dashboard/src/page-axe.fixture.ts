// What axe finds wrong in a page.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The page must have been opened with bypassCSP: axe is put into it. */
export async function axeFindings(page: Page, options: object = {}): Promise<string[]> {
  await page.evaluate(`globalThis.axe ?? globalThis.eval(${JSON.stringify(AXE)})`)
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

/** All of it in the light theme, colours in the dark one too. */
export async function axeFindingsInBothThemes(page: Page): Promise<string[]> {
  const wear = (theme: string) =>
    page.evaluate((name) => {
      document.documentElement.dataset.theme = name
    }, theme)
  await wear('light')
  const light = await axeFindings(page)
  await wear('dark')
  const dark = await axeFindings(page, { runOnly: ['color-contrast', 'link-in-text-block'] })
  return [...light, ...dark.map((finding) => `dark ${finding}`)]
}
