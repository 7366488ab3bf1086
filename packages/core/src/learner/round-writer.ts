// Logged rounds, written into a table so that `endEpoch` can learn from them. A host that keeps the log (the service)
// replays it through here and asks no model: what the decision used is in its log. Rounds decided elsewhere come through
// `loggedRounds`. What does not fit throws and leaves the table as it was.

import { BLOCK_ROUNDS, PrimoError, show } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import { compileCombiner } from '../imputation/ensemble.js'
import { covariateRecord, encodePrediction } from '../problem/encoding.js'
import { encodeValue, type FeatureValue } from '../problem/feature.js'
import type { Prediction } from '../problem/imputer.js'
import type { DecisionRecord } from '../rounds/log.js'
import { askProbabilityOf, Observed, offsetOf, RoundStatus, RoundTable, writeAside } from '../rounds/round-table.js'
import { createRequestEncoder, type DecisionRequest } from './request.js'
import { scaleReward } from './rounds.js'

/** A decision of a log, with the values that it used. */
export type LoggedDecision = Omit<DecisionRecord, 'type' | 'id' | 'epoch'> & {
  /** z-tilde of all covariate columns as the decision used them, inside units. */
  readonly used: readonly number[]
}

/** Where `used` is not known, a missing covariate has what is `imputed`, else the prediction, else the middle of its range. */
type AppendedDecision = Pick<DecisionRequest, 'context' | 'covariates' | 'missing' | 'actions'> &
  Pick<LoggedDecision, 'asked' | 'action' | 'propensity'> & {
    readonly predictions?: unknown
    readonly used?: readonly number[]
    readonly imputed?: unknown
  }

/** Writes rounds of a log into a table. */
export interface RoundWriter {
  readonly table: RoundTable
  /** Adds the next round and returns its index. */
  readonly append: (decision: AppendedDecision) => number
  /** Its reward is final, in the user's units. */
  readonly close: (round: number, reward: number) => void
  /** Adds a round that is gone from the log: only its number counts. */
  readonly skip: () => void
  /** Its window closed without a reward: it is not learnt from, but counts where missing rewards are made up for. */
  readonly drop: (round: number) => void
  /** It is not learnt from: voided, expired, or removed by retention. */
  readonly discard: (round: number) => void
  readonly reveal: (round: number, covariates: Readonly<Record<string, FeatureValue>>) => void
}

/**
 * Goes on with a table of the same shape where one is given, for instance after an action was added. `ask`: models are asked
 * where the log has no prediction.
 */
export function createRoundWriter(
  engine: Engine,
  table = new RoundTable(engine.shape),
  { ask = false } = {},
): RoundWriter {
  const { encoding, shape } = engine
  const { contextWidth, covariateWidth, covariateCount } = shape
  const encode = createRequestEncoder(engine, { ours: !ask })
  const combine = compileCombiner(encoding, engine.ensembles, shape.memberWidth ?? 0, undefined)

  function at(round: number) {
    if (!(Number.isSafeInteger(round) && round >= 0 && round < table.count))
      throw new PrimoError('unknown-round', `round must be below ${table.count}, got ${show(round)}`, { round })
    return { block: table.block(round), row: offsetOf(round) }
  }

  /** To the request encoder null is a model that said nothing, undefined one that is still to be asked. */
  const silent = ask ? undefined : null
  /** Used again for every round: the encoder copies what it keeps. */
  const said: Record<string, unknown> = Object.fromEntries(encoding.covariates.map(({ name }) => [name, silent]))
  function saidOf(predictions: unknown): DecisionRequest['predictions'] {
    const given = covariateRecord(encoding, 'predictions', predictions)
    for (const { name } of encoding.covariates) said[name] = given[name] ?? silent
    return said as DecisionRequest['predictions']
  }

  return {
    table,
    append: ({ context, covariates, predictions, missing, actions, asked, action, propensity, used, imputed }) => {
      const index = encoding.actionIndex.get(action)
      if (index === undefined) {
        const known = encoding.actions.map(show).join(', ')
        throw new PrimoError('unknown-action', `action must be among ${known}, got ${show(action)}`, { action })
      }
      if (used !== undefined && used.length !== covariateWidth)
        throw new PrimoError('shape-mismatch', `used must have ${covariateWidth} values, got ${used.length}`)
      const stands = covariateRecord(encoding, 'imputed', imputed)
      // To the encoder a field that is undefined is absent.
      const encoded = encode({
        context,
        covariates,
        predictions: saidOf(predictions),
        missing,
        actions,
      } as DecisionRequest)
      const round = table.append()
      const { block, row } = at(round)
      const first = row * covariateWidth
      write(encoded.context, block.context, row * contextWidth)
      write(used ?? encoded.covariates, block.covariates, first)
      write(encoded.pretrained, block.pretrained, first)
      writeAside(block, row, shape, encoded)
      if (used === undefined) combine?.(block, row, block.pretrained)
      for (let which = 0; which < covariateCount; which++) {
        const covariate = encoding.covariates[which]!
        const flag = row * covariateCount + which
        block.observed[flag] = encoded.observed[which]!
        if (block.observed[flag] !== Observed.missing) continue
        const share = asked?.[covariate.name]
        if (share !== undefined) {
          block.observed[flag] = Observed.asked
          if (covariate.feature.audit?.budget !== undefined) askProbabilityOf(block, shape)[flag] = share
        }
        if (used !== undefined) continue
        const from = first + covariate.at
        const failed = encodePrediction(covariate, stands[covariate.name] as Prediction, block.covariates, from)
        // Where no model spoke, the encoder has written the middle.
        if (failed !== null && !Number.isNaN(block.pretrained[from]))
          for (let k = from; k < from + covariate.width; k++) block.covariates[k] = block.pretrained[k]!
      }
      block.action[row] = index
      block.propensity[row] = propensity
      return round
    },
    close: (round, reward) => {
      const { block, row } = at(round)
      if (block.status[row] !== RoundStatus.open)
        throw new PrimoError('round-closed', `a round to close must be open, got ${round} which is not`, { round })
      block.reward[row] = scaleReward(engine.problem.reward, reward)
      block.arrivals[row] = 1
      table.close(round)
    },
    skip: () => {
      const round = table.append()
      // Counted like a closing, so that what came after is still new when the log has lost what came before.
      table.close(round)
      table.block(round).status[offsetOf(round)] = RoundStatus.voided
    },
    drop: (round) => {
      const { block, row } = at(round)
      block.status[row] = engine.missingRewards === null ? RoundStatus.voided : RoundStatus.dropped
    },
    discard: (round) => {
      const { block, row } = at(round)
      block.status[row] = RoundStatus.voided
    },
    reveal: (round, covariates) => {
      const { block, row } = at(round)
      const given = covariateRecord(encoding, 'covariates', covariates)
      for (const [which, { name, feature, at: column }] of encoding.covariates.entries()) {
        const flag = row * covariateCount + which
        const before = block.observed[flag]
        if (!(name in given) || (before !== Observed.missing && before !== Observed.asked)) continue
        block.revealed ??= new Float64Array(BLOCK_ROUNDS * covariateWidth)
        encodeValue(`covariates.${name}`, feature, given[name], block.revealed, row * covariateWidth + column)
        block.observed[flag] = before === Observed.asked ? Observed.audited : Observed.later
      }
    },
  }
}

/** Of few values: `set` takes longer to begin. */
function write(values: ArrayLike<number>, out: Float64Array, at: number): void {
  for (let k = 0; k < values.length; k++) out[at + k] = values[k]!
}

/** Throws a PrimoError when these cannot be truths of the problem's covariates; `field` is what they are called. */
export function checkTruths({ encoding, shape }: Engine, covariates: unknown, { field = 'covariates' } = {}): void {
  const given = covariateRecord(encoding, field, covariates)
  const scratch = new Float64Array(shape.covariateWidth)
  for (const { name, feature, at } of encoding.covariates)
    if (name in given) encodeValue(`${field}.${name}`, feature, given[name], scratch, at)
}
