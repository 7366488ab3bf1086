// Source lines per package and app beside the budget in line-budget.json.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Size {
  readonly lines: number
  /** Lines longer than LONGEST_LINE characters. */
  readonly long: number
}

/** By folder, such as `packages/core`. */
export type Sizes = Readonly<Record<string, Size>>

export const LONGEST_LINE = 120

const SOURCE = /^((?:packages|apps)\/[^/]+)\/.*\.(ts|tsx|mjs|css)$/
const NOT_COUNTED = /(\.test|\.laws|\.suite|\.fixture)\.|\/test\/|\/checks\/|\/fixtures\//

/** Counts every line of every source file that git tracks: blank lines and comments too, tests not. */
export function countSources(root: string): Sizes {
  const tracked = execFileSync('git', ['ls-files', '-z', 'packages', 'apps'], { cwd: root, encoding: 'utf8' })
  const sizes: Record<string, Size> = {}
  for (const path of tracked.split('\0')) {
    const member = SOURCE.exec(path)?.[1]
    if (member === undefined || NOT_COUNTED.test(path) || !existsSync(join(root, path))) continue
    const lines = readFileSync(join(root, path), 'utf8').replace(/\n$/, '').split('\n')
    const before = sizes[member] ?? { lines: 0, long: 0 }
    const long = lines.filter((line) => line.length > LONGEST_LINE).length
    sizes[member] = { lines: before.lines + lines.length, long: before.long + long }
  }
  return sizes
}

const NOTHING: Size = { lines: 0, long: 0 }

/** One sentence per budget that is exceeded. */
export function exceeded(sizes: Sizes, budget: Sizes): readonly string[] {
  return Object.entries(sizes).flatMap(([member, { lines, long }]) => {
    const most = budget[member] ?? NOTHING
    return [
      ...(lines > most.lines
        ? [
            `${member} has ${lines} source lines; its budget is ${most.lines}. ` +
              `Remove ${lines - most.lines}, or raise the budget in test/line-budget.json with a decision record ` +
              'in docs/decisions that names the new figure and the reason.',
          ]
        : []),
      ...(long > most.long
        ? [
            `${member} has ${long} lines longer than ${LONGEST_LINE} characters; at most ${most.long} are allowed. ` +
              'Break the new ones. This budget is never raised.',
          ]
        : []),
    ]
  })
}

/** The members that changed against the budget, one row each, and the sum. */
export function changes(sizes: Sizes, budget: Sizes): string {
  const members = [...new Set([...Object.keys(budget), ...Object.keys(sizes)])].sort()
  const signed = (change: number) => (change > 0 ? `+${change}` : `${change}`).padStart(7)
  const rows = members.map((member) => {
    const now = sizes[member] ?? NOTHING
    const most = budget[member] ?? NOTHING
    return { member, lines: now.lines, change: now.lines - most.lines, long: now.long - most.long }
  })
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0)
  const total = { member: 'all', lines: sum((row) => row.lines), change: sum((row) => row.change) }
  return [...rows.filter(({ change, long }) => change !== 0 || long !== 0), { ...total, long: sum((row) => row.long) }]
    .map(({ member, lines, change, long }) =>
      [member.padEnd(18), `${lines}`.padStart(7), 'lines', signed(change), ' too long', signed(long)].join(' '),
    )
    .join('\n')
}

/** The budget after `-u`: what was saved cannot be spent again, and nothing is raised. */
export function lowered(sizes: Sizes, budget: Sizes): Sizes {
  return Object.fromEntries(
    Object.entries(budget).flatMap(([member, most]) => {
      const now = sizes[member]
      if (now === undefined) return []
      return [[member, { lines: Math.min(now.lines, most.lines), long: Math.min(now.long, most.long) }]]
    }),
  )
}
