// Rounds that were decided elsewhere, written into a table so that `endEpoch` can learn from them: a host that keeps the
// log (the service) replays it through here. Values were checked when they were logged; what does not fit throws.

import { covariateRecord } from '../data/encoding.js'
import { encodeValue, type FeatureValue } from '../data/feature.js'
import type { DecisionRecord } from '../data/log.js'
import { Observed, offsetOf, RoundStatus, RoundTable, writeAside } from '../data/round-table.js'
import { PrimoError, show } from '../errors.js'
import { BLOCK_ROUNDS } from '../numeric/sums.js'
import type { Engine } from './engine.js'
import { createRequestEncoder } from './request.js'
import { scaleReward } from './rounds.js'

export type LoggedDecision = Omit<DecisionRecord, 'type' | 'id' | 'epoch'> & {
  /** z-tilde of all covariate columns as the decision used them, inside units. */
  readonly used: readonly number[]
}

export interface RoundWriter {
  readonly table: RoundTable
  /** Adds the next round and returns its index. */
  readonly append: (decision: LoggedDecision) => number
  /** Its reward is final, in the user's units. */
  readonly close: (round: number, reward: number) => void
  /** Adds a round that is gone from the log: only its number counts. */
  readonly skip: () => void
  /** It is not learnt from: voided, dropped, expired, or removed by retention. */
  readonly discard: (round: number) => void
  readonly reveal: (round: number, covariates: Readonly<Record<string, FeatureValue>>) => void
}

/** Goes on with a table of the same shape where one is given, for instance after an action was added. */
export function createRoundWriter(engine: Engine, table = new RoundTable(engine.shape)): RoundWriter {
  const { encoding, shape } = engine
  const encode = createRequestEncoder(engine, { ours: true })
  const silent = Object.fromEntries(encoding.covariates.map(({ name }) => [name, null]))

  function at(round: number) {
    if (!(Number.isSafeInteger(round) && round >= 0 && round < table.count))
      throw new PrimoError('unknown-round', `round must be below ${table.count}, got ${show(round)}`, { round })
    return { block: table.block(round), row: offsetOf(round) }
  }

  return {
    table,
    append: ({ context, covariates, predictions, missing, actions, asked, action, propensity, used }) => {
      const index = encoding.actionIndex.get(action)
      if (index === undefined)
        throw new PrimoError('unknown-action', `action must be one of the problem's, got ${show(action)}`, { action })
      if (used.length !== shape.covariateWidth)
        throw new PrimoError('shape-mismatch', `used must have ${shape.covariateWidth} values, got ${used.length}`)
      const encoded = encode({
        context,
        covariates,
        // Absent predictions were not asked for; the models must not be asked now.
        predictions: { ...silent, ...predictions },
        ...(missing === undefined ? {} : { missing }),
        ...(actions === undefined ? {} : { actions }),
      })
      const round = table.append()
      const { block, row } = at(round)
      block.context.set(encoded.context, row * shape.contextWidth)
      block.covariates.set(used, row * shape.covariateWidth)
      block.pretrained.set(encoded.pretrained, row * shape.covariateWidth)
      writeAside(block, row, shape, encoded)
      block.observed.set(encoded.observed, row * shape.covariateCount)
      encoding.covariates.forEach(({ name }, which) => {
        const flag = row * shape.covariateCount + which
        if (asked?.[name] !== undefined && block.observed[flag] === Observed.missing)
          block.observed[flag] = Observed.asked
      })
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
      block.status[row] = RoundStatus.closed
    },
    skip: () => {
      const { block, row } = at(table.append())
      block.status[row] = RoundStatus.voided
    },
    discard: (round) => {
      const { block, row } = at(round)
      block.status[row] = RoundStatus.voided
    },
    reveal: (round, covariates) => {
      const { block, row } = at(round)
      const { covariateWidth, covariateCount } = shape
      const given = covariateRecord(encoding, 'covariates', covariates)
      block.revealed ??= new Float64Array(BLOCK_ROUNDS * covariateWidth)
      for (const [which, { name, feature, at: column }] of encoding.covariates.entries()) {
        const flag = row * covariateCount + which
        const before = block.observed[flag]
        if (!(name in given) || (before !== Observed.missing && before !== Observed.asked)) continue
        encodeValue(`covariates.${name}`, feature, given[name], block.revealed, row * covariateWidth + column)
        block.observed[flag] = before === Observed.asked ? Observed.audited : Observed.later
      }
    },
  }
}

/** Throws a PrimoError when these cannot be truths of the problem's covariates. */
export function checkTruths({ encoding, shape }: Engine, covariates: unknown): void {
  const given = covariateRecord(encoding, 'covariates', covariates)
  const scratch = new Float64Array(shape.covariateWidth)
  for (const { name, feature, at } of encoding.covariates)
    if (name in given) encodeValue(`covariates.${name}`, feature, given[name], scratch, at)
}
