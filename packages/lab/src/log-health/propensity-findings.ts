// What is said of propensities: whether they are there and possible, and whether they describe what was played.

import type { LogRow } from '../log/log-columns.js'
import type { LogHeader } from '../log/log-header.js'
import { calibrationFindings } from './calibration-findings.js'
import { CalibrationTest, type PropensityCalibration } from './calibration-test.js'
import { count, failure, type LogFinding, ok, percent, warning } from './log-finding.js'
import type { SurveyedFeature } from './log-survey.js'

const SMALL = 0.001
/** Of propensities in single precision. */
const TOLERANCE = 1e-5

export class PropensityExamination {
  readonly #actions: ReadonlyMap<string, number>
  readonly #test: CalibrationTest
  readonly #features: readonly SurveyedFeature[]
  readonly #values: Float64Array
  readonly #eligible: Uint8Array
  #rows = 0
  #unknown = 0
  #impossible = 0
  #small = 0
  #wrongSum = 0
  #disagree = 0
  #notEligible = 0

  constructor(header: LogHeader, features: readonly SurveyedFeature[]) {
    this.#actions = new Map(header.actions.map((name, a) => [name, a]))
    this.#features = features
    this.#values = new Float64Array(features.length)
    this.#eligible = new Uint8Array(header.actions.length)
    this.#test = new CalibrationTest(header, features)
  }

  /** The row that the survey has just taken. */
  add(row: LogRow): void {
    this.#rows++
    const action = this.#actions.get(row.action as string)!
    const among = this.#readEligible(row)
    if (this.#eligible[action] === 0) this.#notEligible++
    const p = (row.propensity ?? null) as number | null
    // What a shadow engine would have played is not what was played.
    const every = row.mode === 'shadow' ? null : ((row.propensities ?? null) as readonly number[] | null)
    const whole = every !== null && this.#isWhole(every)
    if (p === null) this.#unknown++
    else if (!(p > 0 && p <= 1 + TOLERANCE)) {
      this.#impossible++
      return
    } else if (p < SMALL) this.#small++
    if (p !== null && whole && Math.abs(every[action]! - p) > TOLERANCE) this.#disagree++
    const used = whole ? every : p === null ? null : this.#derived(action, p, among)
    if (p === null && used === null) return
    for (let k = 0; k < this.#values.length; k++) this.#values[k] = this.#features[k]!.values.last()
    this.#test.add(action, p ?? Number.NaN, used, this.#eligible, this.#values)
  }

  /** How many actions were possible. */
  #readEligible({ eligible }: LogRow): number {
    if (eligible === null || eligible === undefined) {
      this.#eligible.fill(1)
      return this.#eligible.length
    }
    this.#eligible.fill(0)
    for (const name of eligible as readonly string[]) {
      const a = this.#actions.get(name)
      if (a !== undefined) this.#eligible[a] = 1
    }
    return (eligible as readonly string[]).length
  }

  #isWhole(every: readonly number[]): boolean {
    let sum = 0
    let possible = every.length === this.#eligible.length
    for (let a = 0; a < every.length; a++) {
      sum += every[a]!
      if (every[a]! < 0 || (every[a]! > 0 && this.#eligible[a] === 0)) possible = false
    }
    if (possible && Math.abs(sum - 1) <= TOLERANCE) return true
    this.#wrongSum++
    return false
  }

  /** With two actions, the other's propensity is what is left. */
  #derived(action: number, p: number, among: number): readonly number[] | null {
    if (among > 2 || this.#eligible[action] === 0) return null
    return Array.from(this.#eligible, (eligible, a) => (a === action ? p : eligible === 1 ? 1 - p : 0))
  }

  findings(): { readonly findings: readonly LogFinding[]; readonly report: PropensityCalibration } {
    const report = this.#test.report()
    const found = this.#possible()
    return { report, findings: [...found, ...calibrationFindings(report)] }
  }

  #possible(): readonly LogFinding[] {
    const found: LogFinding[] = []
    const fail = (rows: number, says: string, advice: string) => {
      if (rows > 0) found.push(failure('propensities', `${count(rows)} ${says}.`, advice))
    }
    fail(
      this.#impossible,
      'played an action with a propensity of zero, below, or above one',
      'What was played had a chance: log the probability of the whole procedure at the moment of the draw.',
    )
    fail(
      this.#wrongSum,
      'with propensities of all actions that do not sum to one, or give some to an action that was not eligible',
      "Log one per action in the header's order, 0 where not eligible, after every rule that changes the choice.",
    )
    fail(
      this.#disagree,
      'where `propensity` is not what `propensities` say of the played action',
      'One of the two is from before a floor, a holdout or another rule: log both after it.',
    )
    fail(this.#notEligible, 'played an action that was not eligible', 'Look at how `eligible` is logged.')
    const { rows, unknown } = { rows: this.#rows, unknown: this.#unknown }
    if (unknown > 0)
      found.push(
        warning(
          'propensities',
          `${count(unknown)} of ${rows.toLocaleString('en')} (${percent(unknown / rows)}) without a propensity.`,
          'An evaluation by weights leaves them out: log propensities, or estimate them and say so.',
        ),
      )
    if (this.#small > 0)
      found.push(
        warning(
          'propensities',
          `${count(this.#small)} played an action with a propensity below ${SMALL}; each counts like more than 1,000 others.`,
          'Look at effective rows in an evaluation; give the logging policy a floor.',
        ),
      )
    return found.length > 0 ? found : [ok('propensities', 'Every row has a propensity that is possible.')]
  }
}
