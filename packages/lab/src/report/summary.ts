// A run in figures: per scenario and policy the regret, its excess over the unavoidable regret and how they grow, and the policies
// compared in pairs with one of them. JSON-safe; a function of the rows as a set, not of their order.

import { PrimoError } from '@primo/numeric'
import type { RunRow } from '../runs/run-row.js'
import { type Estimate, estimate, quantile, slope } from '../statistics/summarise.js'
import { comparePaired, type PairedComparison } from './comparison.js'
import { type CurvePoint, checkpointsOf, excessCurve, regretCurve } from './curves.js'
import { groupRows, type PolicyRows, type ScenarioRows } from './grouped-rows.js'

/** Points of the slopes: this many powers of two up to the horizon. */
const SLOPE_POINTS = 5

export interface PolicySummary {
  readonly policy: string
  readonly runs: number
  /** Final regret; null where it is unknown. */
  readonly regret: Estimate | null
  /** Final regret minus the realised unavoidable regret of the same seed; null where unknown. Can be below 0 for a policy that sees all values. */
  readonly excess: Estimate | null
  /** Least-squares slope of log mean cumulative regret on log rounds over the last five powers of two. */
  readonly slope: number | null
  /** The same of the excess; null unless it is positive at all of them. */
  readonly excessSlope: number | null
  /** Regret per round in the last half of the rounds: after `from`, the checkpoint closest to the middle. */
  readonly lastHalf: (Estimate & { readonly from: number }) | null
  /** 95% quantile of the final regret over seeds. */
  readonly p95: number | null
  /** Sum of rewards, in the user's units. */
  readonly reward: Estimate
}

export interface ScenarioSummary {
  readonly scenario: string
  readonly rounds: number
  /** All seeds, of whatever policy. */
  readonly seeds: readonly number[]
  readonly measure: 'regret' | 'reward'
  /** Realised floor over seeds; null where unknown. */
  readonly floor: Estimate | null
  /** Best first: least regret, or most reward where the regret is unknown. */
  readonly policies: readonly PolicySummary[]
  /** The policy the others are compared with; null when this scenario does not have it. */
  readonly reference: string | null
  readonly comparisons: readonly PairedComparison[]
  /** Policies without a seed in common with the reference. */
  readonly unpaired: readonly string[]
}

export interface RunSummary {
  readonly format: 1
  readonly scenarios: readonly ScenarioSummary[]
}

export interface SummaryOptions {
  /** The policy that the others are compared with; default `primo` where there is one, else the best that is no benchmark. */
  readonly reference?: string
}

/** Policies that mark the ends of the scale: what others are not compared with and findings are not about. */
export function isBenchmark(policy: string): boolean {
  return /^(uniform|sees[- ]all[- ]values|best[- ]fixed)|:truth$/.test(policy)
}

/** The rows of a run as figures per scenario and policy, and policies compared in pairs. */
export function summariseRun(rows: readonly RunRow[], options: SummaryOptions = {}): RunSummary {
  const { reference } = options
  const groups = groupRows(rows)
  if (reference !== undefined && !rows.some(({ policy }) => policy === reference)) {
    const policies = [...new Set(groups.flatMap((group) => group.policies.map(({ policy }) => policy)))]
    const message = `reference must be one of the policies (${policies.join(', ')}), got "${reference}"`
    throw new PrimoError('invalid-option', message, { field: 'reference', value: reference, policies })
  }
  return { format: 1, scenarios: groups.map((group) => summariseScenario(group, reference)) }
}

function summariseScenario(group: ScenarioRows, asked: string | undefined): ScenarioSummary {
  const { scenario, rounds, measure } = group
  const worth = ({ regret, reward }: PolicySummary) => (measure === 'regret' ? -regret!.mean : reward.mean)
  const policies = group.policies.map(summarisePolicy).sort((a, b) => worth(b) - worth(a))
  const names = policies.map(({ policy }) => policy)
  const usual = names.find((name) => name === 'primo') ?? names.find((name) => !isBenchmark(name)) ?? names[0]!
  const wanted = asked ?? usual
  const reference = group.policies.find(({ policy }) => policy === wanted)
  const rowsOf = new Map(group.policies.map(({ policy, rows }) => [policy, rows]))
  const comparisons: PairedComparison[] = []
  const unpaired: string[] = []
  for (const { policy } of policies) {
    if (reference === undefined || policy === wanted) continue
    const comparison = comparePaired(rowsOf.get(policy)!, reference.rows, measure)
    if (comparison === null) unpaired.push(policy)
    else comparisons.push(comparison)
  }
  const floors = new Map(group.policies.flatMap(({ rows }) => rows.map(({ seed, floor }) => [seed, floor] as const)))
  const seeds = [...floors.keys()].sort((a, b) => a - b)
  const floor = known(seeds.map((seed) => floors.get(seed) ?? null))
  const shownReference = reference === undefined ? null : wanted
  return { scenario, rounds, seeds, measure, floor, policies, reference: shownReference, comparisons, unpaired }
}

function summarisePolicy({ policy, rows }: PolicyRows): PolicySummary {
  const regrets = rows.flatMap(({ regret }) => (regret === null ? [] : [regret]))
  const complete = regrets.length === rows.length
  return {
    policy,
    runs: rows.length,
    regret: known(rows.map(({ regret }) => regret)),
    excess: known(rows.map(({ regret, floor }) => (regret === null || floor === null ? null : regret - floor))),
    slope: logSlope(regretCurve(rows)),
    excessSlope: logSlope(excessCurve(rows)),
    lastHalf: lastHalf(rows),
    p95: complete ? quantile(regrets, 0.95) : null,
    reward: estimate(rows.map(({ reward }) => reward))!,
  }
}

/** Null unless every value is known. */
function known(values: readonly (number | null)[]): Estimate | null {
  const numbers = values.filter((value) => value !== null)
  return numbers.length === values.length ? estimate(numbers) : null
}

function logSlope(curve: readonly CurvePoint[]): number | null {
  const points = curve.filter(({ rounds }) => Number.isInteger(Math.log2(rounds))).slice(-SLOPE_POINTS)
  if (points.length < 3 || points.some(({ mean }) => mean <= 0)) return null
  return slope(
    points.map(({ rounds }) => Math.log(rounds)),
    points.map(({ mean }) => Math.log(mean)),
  )
}

function lastHalf(rows: readonly RunRow[]): PolicySummary['lastHalf'] {
  const { rounds } = rows[0]!
  const marks = regretCurve(rows).filter((point) => point.rounds < rounds)
  if (rows.some(({ regret }) => regret === null) || marks.length === 0) return null
  const distance = (mark: CurvePoint) => Math.abs(mark.rounds - rounds / 2)
  const from = marks.reduce((best, mark) => (distance(mark) < distance(best) ? mark : best)).rounds
  const rates = rows.map((row) => {
    const start = checkpointsOf(row).find((point) => point.rounds === from)!
    return (row.regret! - start.regret) / (rounds - from)
  })
  return { from, ...estimate(rates)! }
}
