// A problem that has grown (problem/growth.ts): its rounds become rows of the new columns at once; what was learnt keeps the columns it
// was learnt in, and rows are read through them, until the next end of an epoch learns everything anew from the grown rounds.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import { engineInColumns } from '../engine/engine-in-columns.js'
import { deepFreeze, type EpochState } from '../engine/epoch-state.js'
import { memberFeatures } from '../imputation/ensemble.js'
import { type Columns, columnsOf, compileRowMap, sameColumns } from '../problem/columns.js'
import { insideUnit } from '../problem/feature.js'
import { askProbabilityOf, type ContextArchive, Observed, type RoundBlock, RoundTable } from '../rounds/round-table.js'
import { renewPredictions } from './renew-predictions.js'

/** The state as one of `engine`, whose problem may have grown since the state was learnt in `columns`. */
export function growState(state: EpochState, columns: Columns, engine: Engine): EpochState {
  if (state.rewardModel === null || state.columns !== undefined || sameColumns(columns, engine.problem)) return state
  return deepFreeze({ ...state, columns: columnsOf(columns) })
}

/** What an end of an epoch goes on from: models in other columns are of no use to it. */
export function ungrown(state: EpochState): EpochState {
  // Streams hold sums over the old columns.
  const { columns, streams: _, ...kept } = state
  if (columns === undefined) return state
  return {
    ...kept,
    rewardModel: null,
    corrections: kept.corrections.map(() => null),
    imputationVersion: kept.imputationVersion + 1,
  }
}

/** The same rounds for an engine whose problem has grown, or has other imputers or audits; the table that was given is not to be used any more. */
export function renewRounds(
  table: RoundTable,
  before: Engine,
  after: Engine,
  archive: () => ContextArchive | null = () => null,
): RoundTable {
  const asked = keepAsked(table, before, after)
  if (sameColumns(before.problem, after.problem)) return renewPredictions(asked, before, after)
  const between = engineInColumns(before, after.problem)
  return renewPredictions(mapRounds(asked, before, between, archive()), between, after)
}

/** Where audits ask with another probability from here on: rounds so far keep the one that they were asked with. */
function keepAsked(table: RoundTable, before: Engine, after: Engine): RoundTable {
  const shares = before.encoding.covariates.map(({ feature: { audit } }) => audit?.share)
  const same = before.encoding.covariates.every(({ feature: { audit } }, which) => {
    const now = after.encoding.covariates[which]!.feature.audit
    return audit?.share === now?.share && audit?.budget === now?.budget
  })
  if (same) return table
  const { covariateCount: c } = table.shape
  const blocks = table.blocks.map((block) => {
    // Another object: sums that were weighted by the old audit are not used again. A context in the archive stays there.
    const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(block)) as RoundBlock
    copy.askProbability = block.askProbability?.slice() ?? null
    block.observed.forEach((flag, at) => {
      const share = flag === Observed.asked || flag === Observed.audited ? shares[at % c] : undefined
      if (share !== undefined && !block.askProbability?.[at]) askProbabilityOf(copy, table.shape)[at] = share
    })
    return copy
  })
  return table.withBlocks(table.shape, blocks)
}

/** The same rounds in the columns of another engine with the same models. */
export function mapRounds(
  table: RoundTable,
  before: Engine,
  after: Engine,
  archive: ContextArchive | null = null,
): RoundTable {
  const { contextWidth: p, covariateWidth: m, covariateCount: c, memberWidth = 0 } = before.shape
  const { contextWidth: newP, covariateWidth: newM, memberWidth: newMembers = 0 } = after.shape
  const context = compileRowMap(before.encoding.context, after.encoding.context)
  const covariates = compileRowMap(before.encoding.covariates, after.encoding.covariates)
  const members = compileRowMap(
    memberFeatures(before.encoding, before.ensembles),
    memberFeatures(after.encoding, after.ensembles),
  )
  const units = before.encoding.covariates.map(
    ({ feature }, which) => insideUnit(feature) / insideUnit(after.encoding.covariates[which]!.feature),
  )
  const mapped = new RoundTable(after.shape, archive)
  mapped.takeClosings(table.closings(0))
  for (const old of table.blocks) {
    const rows = Math.min(BLOCK_ROUNDS, table.count - old.index * BLOCK_ROUNDS)
    const block = mapped.block(mapped.appendRows(rows))
    const contexts = old.context
    const told = old.revealed === null ? null : new Float64Array(BLOCK_ROUNDS * newM)
    const said = old.members === null ? null : new Float64Array(BLOCK_ROUNDS * newMembers).fill(Number.NaN)
    for (let row = 0; row < rows; row++) {
      context(contexts, row * p, block.context, row * newP)
      covariates(old.covariates, row * m, block.covariates, row * newM)
      covariates(old.pretrained, row * m, block.pretrained, row * newM)
      if (told !== null) covariates(old.revealed!, row * m, told, row * newM)
      if (said !== null) members(old.members!, row * memberWidth, said, row * newMembers)
    }
    block.observed.set(old.observed)
    block.action.set(old.action)
    block.propensity.set(old.propensity)
    block.reward.set(old.reward)
    block.arrivals.set(old.arrivals)
    block.status.set(old.status)
    block.revealed = told
    block.members = said
    block.modelSd = old.modelSd?.map((sd, k) => sd * units[k % c]!) ?? null
    block.reasons = old.reasons?.slice() ?? null
    block.askProbability = old.askProbability?.slice() ?? null
    block.signals = old.signals?.slice() ?? null
  }
  return mapped
}
