// The source of each package and app may shrink but not grow past its budget.
// `npx vitest run test/line-budget.test.ts -u` lowers the budgets to the current sizes; it raises none.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changes, countSources, exceeded, lowered, type Sizes } from './line-budget.js'

const root = join(import.meta.dirname, '..')
const file = join(import.meta.dirname, 'line-budget.json')
const budget = JSON.parse(readFileSync(file, 'utf8')) as Sizes

/** Whether vitest runs with -u. */
function updates(): boolean {
  const { snapshotState } = expect.getState() as unknown as { snapshotState: { _updateSnapshot: string } }
  return snapshotState._updateSnapshot === 'all'
}

describe('line budget', () => {
  it('no package or app exceeds its budget', () => {
    const sizes = countSources(root)
    if (updates()) writeFileSync(file, `${JSON.stringify(lowered(sizes, budget), null, 2)}\n`)
    expect(exceeded(sizes, budget), `\n${changes(sizes, budget)}\n`).toEqual([])
  })

  it('counts tracked sources and leaves tests and untracked files out', () => {
    const folder = mkdtempSync(join(tmpdir(), 'line-budget-'))
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    try {
      write('packages/a/src/one.ts', `const one = 1\n\n// ${'x'.repeat(118)}\n`)
      write('packages/a/src/one.test.ts', 'test\n')
      write('packages/a/fixtures/b.ts', 'test\n')
      write('apps/b/src/page.css', `/* ${'x'.repeat(114)} */\n`)
      write('apps/b/README.md', 'text\n')
      execFileSync('git', ['init', '-q'], { cwd: folder })
      execFileSync('git', ['add', '.'], { cwd: folder })
      write('packages/a/src/untracked.ts', 'text\n')
      const sizes = countSources(folder)
      expect(sizes).toEqual({ 'apps/b': { lines: 1, long: 0 }, 'packages/a': { lines: 3, long: 1 } })
      expect(exceeded(sizes, sizes)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  const small: Sizes = { 'apps/b': { lines: 5, long: 0 }, 'packages/a': { lines: 10, long: 1 } }

  it.each([
    ['a line', { lines: 11, long: 1 }, /packages\/a has 11 source lines; its budget is 10\..*decision record/],
    ['a long line', { lines: 9, long: 2 }, /packages\/a has 2 lines longer than 120 characters; at most 1/],
  ])('%s too many fails', (_, size, message) => {
    const grown = { ...small, 'packages/a': size }
    expect(exceeded(grown, small)).toEqual([expect.stringMatching(message)])
  })

  it('a package without a budget fails', () => {
    expect(exceeded({ ...small, 'packages/new': { lines: 1, long: 0 } }, small)).toHaveLength(1)
  })

  it('prints the change by package', () => {
    const table = changes({ ...small, 'packages/a': { lines: 7, long: 2 } }, small)
    expect(table.split('\n').map((row) => row.trim().split(/ +/).join(' '))).toEqual([
      'packages/a 7 lines -3 too long +1',
      'all 12 lines -3 too long +1',
    ])
  })

  it('-u keeps savings and raises nothing', () => {
    const sizes: Sizes = { 'packages/a': { lines: 8, long: 3 } }
    expect(lowered(sizes, small)).toEqual({ 'packages/a': { lines: 8, long: 1 } })
  })
})
