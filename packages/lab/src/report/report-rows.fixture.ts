// Seeded rows that look like those of a run: cumulative regret floor t + a t^p with noise that the policies of a seed share.

import { Random } from '@primo/numeric'
import type { RunRow } from '../runs/run-row.js'

export interface SyntheticPolicy {
  readonly name: string
  /** Regret above the unavoidable after t rounds: scale t^power. */
  readonly scale: number
  readonly power: number
  /** Imputation error after t rounds: error[0] + error[1] / sqrt(t); null: the policy imputes nothing. */
  readonly error?: readonly [number, number] | null
  /** gamma = gammaScale sqrt(t); 0: no epochs. */
  readonly gammaScale?: number
}

export interface SyntheticRun {
  readonly scenario?: string
  readonly policies?: readonly SyntheticPolicy[]
  readonly seeds?: readonly number[]
  readonly rounds?: number
  readonly floor?: number | null
  /** Evenly spaced checkpoints besides the powers of two. */
  readonly marks?: number
  readonly noise?: number
}

/** About the main table (method#main-table). */
export const examplePolicies: readonly SyntheticPolicy[] = [
  { name: 'uniform', scale: 0.1024, power: 1, error: null, gammaScale: 0 },
  { name: 'no-z', scale: 0.33, power: 0.8, error: null, gammaScale: 7 },
  { name: 'complete-case', scale: 0.63, power: 0.71, error: [0.45, 0], gammaScale: 7 },
  { name: 'mean-imputation', scale: 0.6, power: 0.713, error: [0.62, 0.2], gammaScale: 7 },
  { name: 'primo', scale: 0.95, power: 0.632, error: [0.45, 0], gammaScale: 7 },
  { name: 'primo-cal', scale: 1.79, power: 0.56, error: [0.34, 2], gammaScale: 7 },
  { name: 'robust', scale: 4.4, power: 0.35, error: [0.34, 1], gammaScale: 40 },
  { name: 'linucb-calibrated', scale: 7.2, power: 0.23, error: [0.34, 1.1], gammaScale: 0 },
  { name: 'sees all values', scale: -0.0004, power: 1, error: null, gammaScale: 7 },
]

export function syntheticRows(run: SyntheticRun = {}): RunRow[] {
  const {
    scenario = 'A',
    policies = examplePolicies,
    seeds = range(1, 20),
    rounds = 2 ** 17,
    marks = 64,
    noise = 1,
  } = run
  const floorRate = run.floor === undefined ? 0.00733 : run.floor
  const times = new Set([rounds])
  for (let power = 1; power <= rounds; power *= 2) times.add(power)
  for (let k = 1; k <= marks; k++) times.add(Math.max(1, Math.round((k * rounds) / marks)))
  const grid = [...times].sort((a, b) => a - b)
  return policies.flatMap(({ name, scale, power, error = null, gammaScale = 0 }) =>
    seeds.map((seed) => {
      const world = Random.fromSeed(seed).split(scenario)
      const own = world.split(name)
      let [common, private_, last] = [0, 0, 0]
      const checkpoints = grid.map((t) => {
        common += 0.05 * noise * Math.sqrt(t - last) * world.normal()
        private_ += 0.03 * noise * Math.sqrt(t - last) * own.normal()
        last = t
        const floor = floorRate === null ? null : Math.max(0, floorRate * t + 0.3 * common)
        const regret = Math.max(0, (floorRate ?? 0) * t + scale * t ** power + 0.3 * common + private_)
        return { rounds: t, regret, floor }
      })
      const end = checkpoints.at(-1)!
      const epochs: RunRow['epochs'][number][] = []
      for (let epoch = 1; 2 ** epoch <= rounds && (gammaScale > 0 || error !== null); epoch++) {
        const t = 2 ** epoch
        const wobble = 1 + (0.5 * noise * own.normal()) / Math.sqrt(t)
        epochs.push({
          epoch,
          rounds: t,
          gamma: gammaScale * Math.sqrt(t),
          regret: null,
          imputationError: error === null ? null : Math.min(0.9, (error[0] + error[1] / Math.sqrt(t)) * wobble),
          pretrainedError: 0.45 * wobble,
        })
      }
      return {
        scenario,
        policy: name,
        seed,
        rounds,
        regret: end.regret,
        floor: end.floor,
        reward: 0.62 * rounds - end.regret,
        checkpoints,
        epochs,
      }
    }),
  )
}

export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

/** The plots of a scenario, in the order in which they are made. */
export const plotKinds = [
  'paired-difference',
  'cumulative-regret',
  'log-log-regret',
  'regret-per-round',
  'imputation-error',
  'gamma',
]
