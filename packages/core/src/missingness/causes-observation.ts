// Causes of missingness taken apart (beyond the paper; docs/decisions/0013). A reason is known only where a value is missing, so it
// cannot be an input of e(x); but causes strike one after the other, and
//   e(x) = P(observed | x) = prod_j P(cause j does not strike | x, none before it did),
// an identity whatever the causes are. Rows at risk of cause j are those that no earlier one struck; a cause that strikes at
// 'random' has one probability for all and asks for no weights among rows; the others have an observation model each, and
// what is missing for no declared reason has the last one.
//   e(x) = r clip(prod e_j(x), floor, 1),   r the share that random causes leave.

import type { Random } from '@primo/numeric'
import type { ReasonKind } from '../problem/problem.js'
import type { ObservationBatch, ObservationRows } from './fit-observation.js'
import { clipProbability, type ObservationModel, type ObservationSettings } from './observation-model.js'

export interface Cause {
  readonly reason: string
  readonly kind: ReasonKind
}

export interface CausesObservation {
  readonly kind: 'causes'
  /** Share of rows that the random causes leave. */
  readonly random: number
  /** In the order in which they strike; reason null: what has no declared one. */
  readonly causes: readonly { readonly reason: string | null; readonly model: ObservationModel }[]
  readonly floor: number
}

type FitOne = (rows: ObservationRows, settings: ObservationSettings, random: Random) => ObservationModel

/** null: no row has a declared reason, so there is nothing to take apart. */
export function fitCauses(
  rows: ObservationRows,
  settings: ObservationSettings,
  random: Random,
  fitOne: FitOne,
): CausesObservation | null {
  const { causes = [], contextWidth } = rows
  if (!rows.batches.some(({ observed, reasons }) => reasons?.some((code, i) => code > 0 && observed[i] === 0)))
    return null
  let batches = rows.batches
  let left = 1
  const models: CausesObservation['causes'][number][] = []
  causes.forEach(({ reason, kind }, place) => {
    const struck = (batch: ObservationBatch, row: number) =>
      batch.observed[row] === 0 && batch.reasons?.[row] === 1 + place
    if (kind === 'random') left *= spared(batches, struck)
    else models.push({ reason, model: modelOf(batches, (batch, row) => !struck(batch, row), reason) })
    batches = batches.map((batch) => without(batch, contextWidth, struck))
  })
  if (batches.some(({ observed }) => observed.includes(0)))
    models.push({ reason: null, model: modelOf(batches, (batch, row) => batch.observed[row] === 1, '') })
  return { kind: 'causes', random: left, causes: models, floor: settings.floor }

  function modelOf(
    atRisk: readonly ObservationBatch[],
    survives: (batch: ObservationBatch, row: number) => boolean,
    label: string,
  ): ObservationModel {
    const judged = atRisk.flatMap((batch) =>
      batch.count === 0 ? [] : [{ ...batch, observed: batch.observed.map((_, row) => (survives(batch, row) ? 1 : 0)) }],
    )
    return fitOne({ contextWidth, batches: judged }, settings, random.split('cause', label))
  }
}

/** e(x), the parts by `probability`. */
export function causesProbability(
  { random, causes, floor }: CausesObservation,
  probability: (model: ObservationModel) => number,
): number {
  let product = 1
  for (const { model } of causes) product *= probability(model)
  return random * clipProbability(product, floor)
}

type Struck = (batch: ObservationBatch, row: number) => boolean

function spared(batches: readonly ObservationBatch[], struck: Struck): number {
  let count = 0
  let hit = 0
  for (const batch of batches) {
    count += batch.count
    for (let row = 0; row < batch.count; row++) if (struck(batch, row)) hit++
  }
  return (count - hit + 0.5) / (count + 1)
}

/** The rows that were not struck. */
function without(batch: ObservationBatch, width: number, struck: Struck): ObservationBatch {
  const rows = Array.from({ length: batch.count }, (_, row) => row).filter((row) => !struck(batch, row))
  if (rows.length === batch.count) return batch
  const context = new Float64Array(rows.length * width)
  rows.forEach((row, i) => {
    context.set(batch.context.subarray(row * width, (row + 1) * width), i * width)
  })
  return {
    block: batch.block,
    count: rows.length,
    context,
    observed: Uint8Array.from(rows, (row) => batch.observed[row]!),
    ...(batch.reasons == null ? {} : { reasons: Uint8Array.from(rows, (row) => batch.reasons![row]!) }),
  }
}
