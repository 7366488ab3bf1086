// Do the logged propensities describe what was played? If they do, e_ia = 1{a_i = a} - p_i(a) has mean zero whatever the context, so
//   z(x, a) = sum_i x_i e_ia / sqrt(sum_i x_i^2 p_i(a)(1 - p_i(a)))
// is about standard normal for x = 1 (counts of the action), x = the row's number (time), and x = each feature in [-1, 1]; and so is,
// for each range of propensities, how often an action from it was played. Where only the played action's propensity is known among more
// than two, e_ia = 1{a_i = a}/p_i - 1{a eligible} takes its place, with its own squares as its variance.

import { normalDistribution } from '@primo/numeric'
import type { LogHeader } from '../log/log-header.js'
import type { SurveyedFeature } from './log-survey.js'

/** Played against expected, for an action or a range of propensities. */
export interface PlayedAgainstExpected {
  readonly name: string
  readonly played: number
  /** How often the propensities say; null: only those of played actions are known. */
  readonly expected: number | null
  readonly z: number | null
  /** Of the rate at which it was played, relative to the expected one. */
  readonly deviation: number
}

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

const EDGES = [0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1]
const MAX_LEVELS = 20
/** Features times actions. */
const MAX_TESTS = 512
/** A smaller expected count is no normal variable. */
const LEAST_VARIANCE = 10
const LEAST_PLAYED = 30

interface Direction {
  readonly name: string
  readonly at: (row: number, values: Float64Array) => number
}

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
  readonly #mass = new Float64Array(EDGES.length)
  readonly #rangePlayed = new Float64Array(EDGES.length)
  readonly #rangeExpected = new Float64Array(EDGES.length)
  readonly #rangeVariance = new Float64Array(EDGES.length)
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
      this.#addRanges(action, every)
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

  /** Actions of one range exclude each other, so a row adds P(1 - P) with P their sum. */
  #addRanges(action: number, every: readonly number[]): void {
    this.#mass.fill(0)
    for (const p of every) if (p > 0) this.#mass[rangeOf(p)]! += p
    for (let b = 0; b < EDGES.length; b++) {
      const mass = this.#mass[b]!
      this.#rangeExpected[b]! += mass
      this.#rangeVariance[b]! += Math.max(0, mass * (1 - mass))
    }
    this.#rangePlayed[rangeOf(every[action]!)]!++
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
    const ranges = EDGES.flatMap((from, b): PlayedAgainstExpected[] => {
      const expected = this.#rangeExpected[b]!
      const played = this.#rangePlayed[b]!
      if (expected === 0 && played === 0) return []
      const z = (played - expected) / Math.sqrt(Math.max(this.#rangeVariance[b]!, LEAST_VARIANCE))
      const name = b + 1 < EDGES.length ? `${from} to ${EDGES[b + 1]}` : '1'
      return [{ name, played, expected, z, deviation: expected > 0 ? played / expected - 1 : 1 }]
    })
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

function rangeOf(p: number): number {
  let b = EDGES.length - 1
  while (b > 0 && p < EDGES[b]!) b--
  return b
}

function directionsOf(features: readonly SurveyedFeature[]): readonly Direction[] {
  const found: Direction[] = [
    { name: 'all rows', at: () => 1 },
    { name: 'the course of the log', at: (row) => row },
  ]
  features.forEach(({ name, feature, levels }, k) => {
    if (feature.type === 'number') {
      const middle = (feature.min + feature.max) / 2
      const half = (feature.max - feature.min) / 2
      const at = (_: number, values: Float64Array) => (Number.isNaN(values[k]!) ? 0 : (values[k]! - middle) / half)
      found.push({ name, at })
    } else
      levels!.slice(0, MAX_LEVELS).forEach((level, code) => {
        found.push({ name: `${name} = ${level}`, at: (_, values) => (values[k] === code ? 1 : 0) })
      })
  })
  return found
}
