// Features that know the reward. Per action, a feature's values make cells (its levels; or bins of a number, finer at the ends; or missing);
//   R2 = 1 - sum (r - mean of its action and cell)^2 / sum (r - mean of its action)^2,
// means from the even rows and sums over the odd ones. What is known before a decision rarely comes near 1.

import { failure, type LogFinding, listed, ok, percent, warning } from './log-finding.js'
import type { LogSurvey, SurveyedFeature } from './log-survey.js'

const MAX_ROWS = 100_000
const LEAST_ROWS = 200
const SUSPECT = 0.7
const CERTAIN = 0.9
const EDGES = [
  0.001,
  0.002,
  0.005,
  0.01,
  0.02,
  ...Array.from({ length: 19 }, (_, k) => (k + 1) / 20),
  0.98,
  0.99,
  0.995,
  0.998,
  0.999,
]

export function leakage(survey: LogSurvey): readonly LogFinding[] {
  const reward = survey.reward.values()
  const known: number[] = []
  const step = Math.max(1, Math.ceil(survey.rows / MAX_ROWS))
  for (let i = 0; i < survey.rows; i += step) if (!Number.isNaN(reward[i]!)) known.push(i)
  if (known.length < LEAST_ROWS) return [ok('leakage', `Not looked at: fewer than ${LEAST_ROWS} rewards.`)]
  const scored = survey.features
    .map((feature) => ({ name: feature.name, r2: explained(survey, feature, known) }))
    .sort((a, b) => b.r2 - a.r2)
  const suspects = scored.filter(({ r2 }) => r2 >= SUSPECT)
  const best = scored[0]
  if (suspects.length === 0) {
    const most = best === undefined || best.r2 <= 0.001 ? '' : ` (the most is ${percent(best.r2)}, by ${best.name})`
    return [ok('leakage', `No single feature tells the reward of an action${most}.`)]
  }
  return [
    (suspects[0]!.r2 >= CERTAIN ? failure : warning)(
      'leakage',
      `The reward is nearly determined by ${listed(suspects.map(({ name, r2 }) => `${name} (${percent(r2)} of its variance, given the action)`))}.`,
      'Make sure that it was known before the decision; a value that was joined or overwritten afterwards must go.',
    ),
  ]
}

function explained({ actions, action, reward }: LogSurvey, feature: SurveyedFeature, known: readonly number[]): number {
  const [played, paid] = [action.values(), reward.values()]
  const { cellOf, cells } = cellsOf(feature, known)
  const sums = new Float64Array(actions.length * cells)
  const counts = new Float64Array(actions.length * cells)
  const actionSums = new Float64Array(actions.length)
  const actionCounts = new Float64Array(actions.length)
  for (let k = 0; k < known.length; k += 2) {
    const i = known[k]!
    const a = played[i]!
    sums[a * cells + cellOf(i)]! += paid[i]!
    counts[a * cells + cellOf(i)]!++
    actionSums[a]! += paid[i]!
    actionCounts[a]!++
  }
  let left = 0
  let all = 0
  for (let k = 1; k < known.length; k += 2) {
    const i = known[k]!
    const a = played[i]!
    if (actionCounts[a] === 0) continue
    const at = a * cells + cellOf(i)
    const mean = actionSums[a]! / actionCounts[a]!
    left += (paid[i]! - (counts[at]! > 0 ? sums[at]! / counts[at]! : mean)) ** 2
    all += (paid[i]! - mean) ** 2
  }
  return all > 0 ? 1 - left / all : 0
}

/** Cell 0 is for what is missing. */
function cellsOf({ levels, values }: SurveyedFeature, known: readonly number[]) {
  const column = values.values()
  if (levels !== null) {
    return { cells: levels.length + 2, cellOf: (i: number) => (Number.isNaN(column[i]!) ? 0 : column[i]! + 1) }
  }
  const sorted = Float64Array.from(known, (i) => column[i]!)
    .filter((value) => !Number.isNaN(value))
    .sort()
  const edges = [...new Set(EDGES.map((p) => sorted[Math.floor(p * sorted.length)]!))]
  const cellOf = (i: number) => {
    const value = column[i]!
    if (Number.isNaN(value)) return 0
    let [low, high] = [0, edges.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (edges[middle]! < value) low = middle + 1
      else high = middle
    }
    return low + 1
  }
  return { cells: edges.length + 2, cellOf }
}
