// What a log is examined by: its rows once, kept as columns of numbers.

import type { Feature } from '@primo/core'
import { GrowingColumn } from '../log/growing-column.js'
import type { LogCell, LogRow } from '../log/log-columns.js'
import { type LogHeader, levelsOf } from '../log/log-header.js'
import { finalReward } from '../log/logged-round.js'
import { Fingerprint } from './fingerprint.js'

/** A context feature, or a covariate as far as it was known at the decision. */
export interface SurveyedFeature {
  readonly name: string
  readonly column: string
  readonly feature: Feature
  /** Null: a number. Else what the codes 0, 1, ... stand for. */
  readonly levels: readonly string[] | null
  /** NaN where missing. */
  readonly values: GrowingColumn
}

export class LogSurvey {
  readonly actions: readonly string[]
  readonly features: readonly SurveyedFeature[]
  readonly action = new GrowingColumn()
  /** Final; NaN where there is none. */
  readonly reward = new GrowingColumn()
  /** 1 where the reward should be there by now; 0 while it is open, and where the action was never played. */
  readonly due = new GrowingColumn()
  readonly open = new GrowingColumn()
  readonly time = new GrowingColumn()
  /** From decision to final reward, ms. */
  readonly delay = new GrowingColumn()
  readonly decisions = new GrowingColumn()
  /** NaN where there is none. */
  readonly events = new GrowingColumn()
  /** Time, subject, context and covariates. */
  readonly situations = new GrowingColumn()
  /** The same with action, propensity and reward. */
  readonly contents = new GrowingColumn()
  readonly #index: ReadonlyMap<string, number>
  readonly #codes: readonly ReadonlyMap<LogCell, number>[]
  readonly #print = new Fingerprint()

  constructor(header: LogHeader) {
    this.actions = header.actions
    this.#index = new Map(header.actions.map((action, a) => [action, a]))
    this.features = [
      ...Object.entries(header.context).map(([name, feature]) => surveyed(name, `context.${name}`, feature)),
      ...Object.entries(header.covariates).map(([name, feature]) => surveyed(name, `covariate.${name}`, feature)),
    ]
    this.#codes = this.features.map(
      ({ feature, levels }) =>
        new Map((levels ?? []).map((level, k) => [feature.type === 'boolean' ? level === 'true' : level, k])),
    )
  }

  get rows(): number {
    return this.action.length
  }

  add(row: LogRow): void {
    const { time = null, rewardTime = null, rewardStatus } = row
    const reward = finalReward(row)
    this.action.push(this.#index.get(row.action as string)!)
    this.reward.push(reward ?? Number.NaN)
    this.due.push(rewardStatus === 'open' || rewardStatus === 'void' ? 0 : 1)
    this.open.push(rewardStatus === 'open' ? 1 : 0)
    this.time.push((time as number | null) ?? Number.NaN)
    this.delay.push(
      time === null || rewardTime === null || reward === null ? Number.NaN : (rewardTime as number) - (time as number),
    )
    const print = this.#print
    this.decisions.push(print.begin().cell(row.decisionId).value())
    const event = row.eventId ?? null
    this.events.push(event === null ? Number.NaN : print.begin().cell(event).value())
    print.begin().cell(time).cell(row.subject)
    for (let k = 0; k < this.features.length; k++) {
      const { column, levels, values } = this.features[k]!
      const cell = row[column] ?? null
      print.cell(cell)
      // A level that the header does not name counts as one more.
      if (cell === null) values.push(Number.NaN)
      else values.push(levels === null ? (cell as number) : (this.#codes[k]!.get(cell) ?? levels.length))
    }
    this.situations.push(print.value())
    this.contents.push(print.cell(row.action).cell(row.propensity).cell(row.reward).value())
  }
}

function surveyed(name: string, column: string, feature: Feature): SurveyedFeature {
  const levels = feature.type === 'number' ? null : feature.type === 'boolean' ? ['false', 'true'] : levelsOf(feature)
  return { name, column, feature, levels, values: new GrowingColumn() }
}
