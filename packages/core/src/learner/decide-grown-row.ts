// Decisions of a state whose models were learnt in the columns of before the problem grew: each row is read through those columns, decided
// there, and what stands in for missing values is written back. The scores are those of before for every row that could be asked then.

import type { Engine } from '../engine/engine.js'
import { engineInColumns } from '../engine/engine-in-columns.js'
import type { EpochState } from '../engine/epoch-state.js'
import { memberFeatures } from '../imputation/ensemble.js'
import { type Columns, compileRowMap } from '../problem/columns.js'
import { decodeCovariate } from '../problem/encoding.js'
import { insideUnit } from '../problem/feature.js'
import { askProbabilityOf, Observed, RoundTable, writeAside } from '../rounds/round-table.js'
import type { RowDecider } from './decide-row.js'
import { describeDecision } from './decision.js'
import type { EncodedRequest } from './request.js'

export function grownRowDecider(
  engine: Engine,
  { columns, ...state }: EpochState & { readonly columns: Columns },
  compile: (engine: Engine, state: EpochState) => RowDecider,
): RowDecider {
  const old = engineInColumns(engine, columns)
  const inner = compile(old, state)
  const { shape, encoding } = engine
  const read = compileRequestMap(engine, old)
  const back = compileRowMap(old.encoding.covariates, encoding.covariates)
  const table = new RoundTable(old.shape)
  const scratch = table.block(table.append())
  const values = new Float64Array(shape.covariateWidth)
  const combined = new Float64Array(shape.covariateWidth)
  let asked: EncodedRequest

  const uses: RowDecider['uses'] = (encoded, block, row, wanted) => {
    const told = { ...inner.uses(asked, scratch, 0, wanted) }
    for (const [which, covariate] of encoding.covariates.entries()) {
      // An observed level may be one that the old columns lack.
      if (encoded.observed[which] !== Observed.atDecision || covariate.feature.type !== 'category') continue
      const at = row * shape.covariateWidth + covariate.at
      told[covariate.name] = { ...told[covariate.name]!, value: decodeCovariate(covariate, block.covariates, at) }
    }
    return told
  }

  return {
    policy: inner.policy,
    decide: (encoded, id, block, row, root) => {
      asked = read(encoded)
      const wanted = inner.decide(asked, id, scratch, 0, root)
      back(scratch.covariates, 0, values, 0)
      back(scratch.pretrained, 0, combined, 0)
      const first = row * shape.covariateWidth
      block.context.set(encoded.context, row * shape.contextWidth)
      block.covariates.set(encoded.covariates, first)
      block.pretrained.set(encoded.pretrained, first)
      writeAside(block, row, shape, encoded)
      for (const [which, { at, width }] of encoding.covariates.entries()) {
        const flag = scratch.observed[which]!
        block.observed[row * shape.covariateCount + which] = flag
        const asking = scratch.askProbability?.[which] ?? 0
        if (asking > 0) askProbabilityOf(block, shape)[row * shape.covariateCount + which] = asking
        if (engine.ensembles[which] !== null)
          for (let k = at; k < at + width; k++) block.pretrained[first + k] = combined[k]!
        if (flag === Observed.atDecision) continue
        for (let k = at; k < at + width; k++) block.covariates[first + k] = values[k]!
      }
      block.action[row] = scratch.action[0]!
      block.propensity[row] = scratch.propensity[0]!
      return wanted
    },
    uses,
    describe: (encoded, id, block, row, wanted) =>
      describeDecision(engine, state, inner.policy, id, block, row, uses(encoded, block, row, wanted)),
  }
}

/** A request as the old columns have it; the arrays are used again for the next one. */
function compileRequestMap(engine: Engine, old: Engine): (encoded: EncodedRequest) => EncodedRequest {
  const context = compileRowMap(engine.encoding.context, old.encoding.context)
  const covariates = compileRowMap(engine.encoding.covariates, old.encoding.covariates)
  const { contextWidth, covariateWidth, memberWidth = 0 } = old.shape
  const units = engine.encoding.covariates.map(
    ({ feature }, which) => insideUnit(feature) / insideUnit(old.encoding.covariates[which]!.feature),
  )
  const arrays = {
    context: new Float64Array(contextWidth),
    covariates: new Float64Array(covariateWidth),
    pretrained: new Float64Array(covariateWidth),
    members: memberWidth === 0 ? null : new Float64Array(memberWidth),
  }
  const members = compileRowMap(
    memberFeatures(engine.encoding, engine.ensembles),
    memberFeatures(old.encoding, old.ensembles),
  )
  return (encoded) => {
    context(encoded.context, 0, arrays.context, 0)
    covariates(encoded.covariates, 0, arrays.covariates, 0)
    covariates(encoded.pretrained, 0, arrays.pretrained, 0)
    if (arrays.members !== null) members(encoded.members!, 0, arrays.members, 0)
    return { ...encoded, ...arrays, modelSd: encoded.modelSd?.map((sd, which) => sd * units[which]!) ?? null }
  }
}
