// The message about an undeclared name: where it stood, the nearest known name, all known names.

import { show } from './errors.js'

/**
 * A sentence about a name that nobody declared, with the nearest one that is known.
 * @example
 * unknownName('reward', 'maxx', ['min', 'max'])
 * // 'reward must have only the fields min, max, got "maxx" (did you mean "max"?)'
 */
export function unknownName(where: string, name: string, known: readonly string[], noun = 'field'): string {
  const near = nearestName(name, known)
  const guess = near === undefined ? '' : ` (did you mean "${near}"?)`
  const rule = known.length === 0 ? `no ${noun}s` : `only the ${noun}s ${known.join(', ')}`
  return `${where} must have ${rule}, got ${show(name)}${guess}`
}

/**
 * The known name that differs from the given one by a slip: a third of its letters at most, or by case and "_" only.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainly(name)
  let best: string | undefined
  let least = plain.length < 3 ? 1 : Math.floor(plain.length / 3) + 1
  for (const candidate of known) {
    const other = plainly(candidate)
    const within = plain.length > 2 && other.length > 2 && (other.startsWith(plain) || plain.startsWith(other))
    const distance = within ? Math.min(1, Math.abs(other.length - plain.length)) : slips(plain, other, least)
    if (distance >= least) continue
    least = distance
    best = candidate
  }
  return best
}

function plainly(name: string): string {
  return name
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** Letters added, left out, replaced or swapped with the next one; `enough` when there are at least as many. */
function slips(a: string, b: string, enough: number): number {
  if (Math.abs(a.length - b.length) >= enough) return enough
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1)
      row.push(least)
    }
    before = above
    above = row
  }
  return above[b.length]!
}

/** The entry under a name from outside. Names that every object has ("constructor", "__proto__") have none. */
export function entryOf<T>(list: Readonly<Record<string, T>>, name: unknown): T | undefined {
  return typeof name === 'string' && Object.hasOwn(list, name) ? list[name] : undefined
}
