// The documents hold together: cited labels exist, relative links lead to files and headings.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

const SKIPPED = new Set(['node_modules', 'dist', '.git', 'out'])

function files(folder: string, kind: RegExp): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (SKIPPED.has(name)) return []
    if (statSync(path).isDirectory()) return files(path, kind)
    return kind.test(name) && path !== import.meta.filename ? [path] : []
  })
}

function headings(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function wrong(kind: RegExp, pattern: RegExp, isRight: (path: string, match: RegExpExecArray) => boolean): string[] {
  return files(root, kind).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(pattern)]
      .filter((match) => !isRight(path, match))
      .map((match) => `${relative(root, path)}: ${match[0]}`),
  )
}

it('every cited label is an entry of docs/method.md', () => {
  const labels = headings(join(root, 'docs/method.md'))
  expect(wrong(/\.(ts|tsx|mjs|js|py|md)$/, /method#([a-z-]+)/g, (_, match) => labels.includes(match[1]!))).toEqual([])
})

it('no file cites a document that is not here', () => {
  expect(wrong(/\.(ts|tsx|mjs|js|py|md|json|yml)$/, /\b(SPEC|DESIGN)\b/g, () => false)).toEqual([])
})

it('every relative link in the documents leads somewhere', () => {
  const leads = (path: string, [, target]: RegExpExecArray): boolean => {
    if (/^[a-z]+:/.test(target!)) return true
    const [file, heading] = target!.split('#')
    const full = file === '' ? path : join(dirname(path), file!)
    return existsSync(full) && (heading === undefined || headings(full).includes(heading))
  }
  expect(wrong(/\.md$/, /\]\(([^)\s]+)\)/g, leads)).toEqual([])
})

it('the command is never named so that another project of that name would run', () => {
  const isDecision = (path: string) => path.includes('docs/decisions/')
  expect(wrong(/\.(ts|tsx|mjs|md|yml)$/, /\bnpx (--?\w+ )*primo\b/g, isDecision)).toEqual([])
})
