// Another model for a covariate: what the rounds so far keep. Observed values stay as they are. Where the new model can be asked for
// old contexts (it is plain data), g~ of old rounds becomes what it says; where it cannot (its predictions come from outside),
// old rounds have no g~ any more: they leave the calibration, and their missing values keep what the decision used.
// Members of an ensemble that did not change keep what they said; a member that cannot be asked silences its ensemble for the
// old rounds, so that members are judged on the same rounds.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import { predictWith } from '../imputation/predict-with.js'
import { type Encoding, encodeModelSd, encodePrediction } from '../problem/encoding.js'
import { featureLevels, unscaleNumber } from '../problem/feature.js'
import type { Context, MemberImputer, Prediction } from '../problem/imputer.js'
import { type ImputerIdentity, imputerIdentity, sameModel } from '../problem/imputer-identity.js'
import { membersOf, modelSdOf, Observed, type RoundBlock, type RoundTable } from '../rounds/round-table.js'

/** Covariates whose model is another one. */
export function changedModels(
  before: readonly (ImputerIdentity | undefined)[],
  after: readonly ImputerIdentity[],
): readonly number[] {
  return after.flatMap((identity, which) => (sameModel(before[which], identity) ? [] : [which]))
}

/** The same rounds for an engine that differs in its imputers; the table that was given is not to be used any more. */
export function renewPredictions(table: RoundTable, before: Engine, after: Engine): RoundTable {
  const changed = changedModels(before.imputers, after.imputers)
  if (changed.length === 0) return table
  const blocks = table.blocks.map((block, index) => {
    // Another object: nothing that was computed from the old block is used again. A context in the archive stays there.
    const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(block)) as RoundBlock
    Object.assign(copy, {
      pretrained: block.pretrained.slice(),
      members: null,
      modelSd: block.modelSd?.slice() ?? null,
    })
    const rows = Math.min(BLOCK_ROUNDS, table.count - index * BLOCK_ROUNDS)
    after.encoding.covariates.forEach((_, which) => {
      if (after.ensembles[which] !== null) renewMembers(block, copy, rows, which, before, after)
      else if (changed.includes(which)) renewModel(copy, rows, which, after)
    })
    return copy
  })
  return table.withBlocks(after.shape, blocks)
}

function renewModel(block: RoundBlock, rows: number, which: number, engine: Engine): void {
  const { encoding, shape } = engine
  const covariate = encoding.covariates[which]!
  const imputer = covariate.feature.imputer as MemberImputer
  const { covariateWidth: m, covariateCount: c } = shape
  const { context } = block
  for (let row = 0; row < rows; row++) {
    const at = row * m + covariate.at
    block.pretrained.fill(Number.NaN, at, at + covariate.width)
    if (block.modelSd !== null) block.modelSd[row * c + which] = Number.NaN
    if (imputer.kind === 'column' || !wanted(engine, block, row, which)) continue
    const said = ask(imputer, engine, context, row)
    if (said === null || encodePrediction(covariate, said, block.pretrained, at) !== null) {
      block.pretrained.fill(Number.NaN, at, at + covariate.width)
      continue
    }
    const sd = encodeModelSd(covariate, said)
    if (!Number.isNaN(sd)) modelSdOf(block, shape)[row * c + which] = sd
  }
}

function renewMembers(
  old: RoundBlock,
  block: RoundBlock,
  rows: number,
  which: number,
  before: Engine,
  after: Engine,
): void {
  const covariate = after.encoding.covariates[which]!
  const { width } = covariate
  const { imputer } = covariate.feature
  const layout = after.ensembles[which]!
  if (imputer.kind !== 'ensemble') return
  const from = before.ensembles[which] ?? null
  const known = before.encoding.covariates[which]!.feature.imputer
  const unchanged = changedModels([before.imputers[which]], [after.imputers[which]!]).length === 0
  const sources = layout.names.map((name) => {
    const member = imputer.members[name]!
    const place = from?.names.indexOf(name) ?? -1
    const was = known.kind === 'ensemble' ? known.members[name] : undefined
    const kept = place >= 0 && was !== undefined && sameModel(imputerIdentity(was), imputerIdentity(member))
    return kept ? { kept: from!.at + place * width } : member.kind === 'column' ? null : { member }
  })
  const silent = sources.includes(null)
  const to = membersOf(block, after.shape)
  const memberWidth = after.shape.memberWidth!
  const oldWidth = before.shape.memberWidth ?? 0
  const { context } = block
  for (let row = 0; row < rows; row++) {
    const at = row * after.shape.covariateWidth + covariate.at
    // Combined anew at the next end of an epoch.
    if (!unchanged) block.pretrained.fill(Number.NaN, at, at + width)
    if (silent || !wanted(after, block, row, which)) continue
    sources.forEach((source, j) => {
      const first = row * memberWidth + layout.at + j * width
      if (source === null) return
      if ('kept' in source) {
        const start = row * oldWidth + source.kept
        if (old.members !== null) to.set(old.members.subarray(start, start + width), first)
        return
      }
      const said = ask(source.member, after, context, row)
      if (said === null || encodePrediction(covariate, said, to, first) !== null)
        to.fill(Number.NaN, first, first + width)
    })
  }
}

/** Observed values are compared with a prediction only where there is calibration. */
function wanted({ calibration, shape }: Engine, block: RoundBlock, row: number, which: number): boolean {
  return calibration !== null || block.observed[row * shape.covariateCount + which] !== Observed.atDecision
}

function ask(
  imputer: MemberImputer,
  { encoding, problem }: Engine,
  contexts: Float64Array,
  row: number,
): Prediction | null {
  try {
    const context = decodeContext(encoding, contexts, row * encoding.contextWidth)
    return predictWith(imputer, problem.context, context, undefined) ?? null
  } catch {
    return null
  }
}

/** An encoded context as the user would write it, up to rounding. */
function decodeContext(encoding: Encoding, values: Float64Array, from: number): Context {
  return Object.fromEntries(
    encoding.context.map(({ name, feature, at, width }) => {
      const first = from + at
      if (feature.type === 'number') return [name, unscaleNumber(feature, values[first]!)]
      if (feature.type === 'boolean') return [name, values[first] === 1]
      return [name, featureLevels(feature)[values.subarray(first, first + width).indexOf(1)]!]
    }),
  )
}
