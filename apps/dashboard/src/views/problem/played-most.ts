// Which action is played most, from buckets that are complete: a running one holds a few decisions.

import type { History } from '@primo/contract'
import { percent } from '../../charts/number-format.js'
import { cutName } from '../../components/cut-name.js'

const FEWEST = 50

export function playedMost({ buckets }: Pick<History, 'buckets'>, actions: readonly string[]): string {
  const counts = new Map<string, number>()
  let decisions = 0
  for (const bucket of buckets.slice(0, -1).reverse()) {
    if (decisions >= FEWEST) break
    decisions += bucket.decisions
    for (const [action, count] of Object.entries(bucket.actions)) counts.set(action, (counts.get(action) ?? 0) + count)
  }
  if (decisions < FEWEST) return 'Too few decisions to say what is played most'
  const ranked = [...actions].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  const [first, second] = ranked.map((action) => counts.get(action) ?? 0)
  const share = (count: number) => percent(count / decisions)
  const top = ranked[0]!
  // Within two standard errors of each other, none is first.
  if (second !== undefined && first! - second < 2 * Math.sqrt(first! + second))
    return `No action stands out lately: “${cutName(top)}” ${share(first!)}, “${cutName(ranked[1]!)}” ${share(second)}`
  return `“${cutName(top)}” is played most lately: ${share(first!)} of decisions`
}
