// Do the logged propensities describe what was played? If they do, e_ia = 1{a_i = a} - p_i(a) has mean zero whatever the context, so
//   z(x, a) = sum_i x_i e_ia / sqrt(sum_i x_i^2 p_i(a)(1 - p_i(a)))
// is about standard normal for x = 1 (counts of the action), x = the row's number (time), and x = each feature in [-1, 1]; and so is,
// for each range of propensities, how often an action from it was played. Where only the played action's propensity is known among more
// than two, e_ia = 1{a_i = a}/p_i - 1{a eligible} takes its place, with its own squares as its variance.

import { normalDistribution } from '@primo/numeric'
import type { LogHeader } from '../log/log-header.js'
import { type Direction, directionsOf } from './calibration-directions.js'
import type { SurveyedFeature } from './log-survey.js'
import { LEAST_VARIANCE, type PlayedAgainstExpected, PropensityRanges } from './propensity-ranges.js'

/** How propensities and what was played agree along a feature, for its worst action. */
export interface PlayedAlongFeature {
  readonly name: string
  readonly action: string
  readonly z: number
  readonly deviation: number
}

/** Whether logged propensities describe what was played. */
export interface PropensityCalibration {
  /** Rows with every propensity, and with only the played one. */
  readonly complete: number
  readonly partial: number
  readonly actions: readonly PlayedAgainstExpected[]
  readonly ranges: readonly PlayedAgainstExpected[]
  readonly features: readonly PlayedAlongFeature[]
  /** Number of tests. */
  readonly tests: number
}

/** Features times actions. */
const MAX_TESTS = 512
const LEAST_PLAYED = 30

export class CalibrationTest {
  readonly #header: LogHeader
  readonly #directions: readonly Direction[]
  readonly #x: Float64Array
  readonly #excess: Float64Array
  readonly #variance: Float64Array
  readonly #base: Float64Array
  readonly #sums: Float64Array
  readonly #variances: Float64Array
  readonly #bases: Float64Array
  readonly #played: Float64Array
  readonly #ranges = new PropensityRanges()
  #complete = 0
  #partial = 0

  constructor(header: LogHeader, features: readonly SurveyedFeature[]) {
    const K = header.actions.length
    this.#header = header
    this.#directions = directionsOf(features).slice(0, Math.max(2, Math.floor(MAX_TESTS / K)))
    this.#x = new Float64Array(this.#directions.length)
    this.#excess = new Float64Array(K)
    this.#variance = new Float64Array(K)
    this.#base = new Float64Array(K)
    this.#played = new Float64Array(K)
    this.#sums = new Float64Array(K * this.#directions.length)
    this.#variances = new Float64Array(K * this.#directions.length)
    this.#bases = new Float64Array(K * this.#directions.length)
  }

  /** `every`: of all actions in order, or null; `values`: of the features. */
  add(action: number, p: number, every: readonly number[] | null, eligible: Uint8Array, values: Float64Array): void {
    const K = this.#excess.length
    if (every !== null) {
      this.#complete++
      for (let a = 0; a < K; a++) this.#setCounts(a, every[a]!, a === action)
      this.#ranges.add(action, every)
    } else {
      this.#partial++
      for (let a = 0; a < K; a++) {
        const excess = (a === action ? 1 / p : 0) - eligible[a]!
        this.#excess[a] = excess
        this.#variance[a] = excess * excess
        this.#base[a] = eligible[a]!
      }
    }
    this.#played[action]!++
    const D = this.#directions.length
    for (let d = 0; d < D; d++) this.#x[d] = this.#directions[d]!.at(this.#complete + this.#partial, values)
    for (let d = 0; d < D; d++) {
      const x = this.#x[d]!
      if (x === 0) continue
      for (let a = 0; a < K; a++) {
        this.#sums[d * K + a]! += x * this.#excess[a]!
        this.#variances[d * K + a]! += x * x * this.#variance[a]!
        this.#bases[d * K + a]! += x * x * this.#base[a]!
      }
    }
  }

  #setCounts(a: number, p: number, played: boolean): void {
    this.#excess[a] = (played ? 1 : 0) - p
    this.#variance[a] = Math.max(0, p * (1 - p))
    this.#base[a] = p
  }

  report(): PropensityCalibration {
    const K = this.#excess.length
    const names = this.#header.actions
    const counted = this.#partial === 0
    const actions = names.map((name, a): PlayedAgainstExpected => {
      const played = this.#played[a]!
      const expected = counted ? this.#bases[a]! : null
      return { name, played, expected, z: this.#z(0, a), deviation: this.#deviation(0, a) }
    })
    const ranges = this.#ranges.report()
    const features = this.#directions.slice(1).flatMap(({ name }, k): PlayedAlongFeature[] => {
      let worst: PlayedAlongFeature | null = null
      for (let a = 0; a < K; a++) {
        const z = this.#z(k + 1, a)
        if (z === null || Math.abs(z) <= Math.abs(worst?.z ?? 0)) continue
        worst = { name, action: names[a]!, z, deviation: this.#deviation(k + 1, a) }
      }
      return worst === null ? [] : [worst]
    })
    const tested = actions.filter(({ z }) => z !== null).length
    const tests = tested * this.#directions.length + ranges.length
    return { complete: this.#complete, partial: this.#partial, actions, ranges, features, tests }
  }

  #z(d: number, a: number): number | null {
    const at = d * this.#excess.length + a
    const variance = this.#variances[at]!
    if (this.#partial > 0) {
      return this.#played[a]! < LEAST_PLAYED || variance === 0 ? null : this.#sums[at]! / Math.sqrt(variance)
    }
    if (d === 0) return this.#sums[a]! / Math.sqrt(Math.max(variance, LEAST_VARIANCE))
    return this.#variances[a]! < LEAST_VARIANCE || variance === 0 ? null : this.#sums[at]! / Math.sqrt(variance)
  }

  /** At a typical size of x. */
  #deviation(d: number, a: number): number {
    const at = d * this.#excess.length + a
    const base = Math.sqrt(this.#bases[at]! * this.#bases[a]!)
    return base > 0 ? this.#sums[at]! / base : this.#sums[at]! === 0 ? 0 : 1
  }
}

/** That a deviation this large comes by chance in any of the tests. */
export function chanceOf(z: number, tests: number): number {
  return Math.min(1, tests * 2 * normalDistribution(-Math.abs(z)))
}
