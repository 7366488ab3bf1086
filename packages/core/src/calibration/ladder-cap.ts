// The ladder's correction kept inside a ball (method#ladder, option): where its root mean square over contexts is larger than
// the cap, it is scaled down to it. The cap is delta0 where the user gave it, else (cap 'auto') 1.5 times the upper limit of
//   delta-hat^2 = [mean (z - g~)^2 - s^2]^+,  upper limit with se of the mean square sqrt(2/n) of itself, as of normal values.
// The size is measured over the newest 1,024 contexts, observed or not.

import { BLOCK_ROUNDS } from '@primo/numeric'
import { insideUnit } from '../problem/feature.js'
import type { RoundRange } from '../rounds/block-parts.js'
import type { RoundTable } from '../rounds/round-table.js'
import type { BasisByClass, InputBasis } from './input-basis.js'
import { basisOfRung, type LadderFit } from './ladder.js'
import type { LadderFitSettings } from './ladder-weights.js'
import { compileMap, scaleMap } from './monotone-map.js'
import { radiusOf } from './settings.js'

export interface LadderCap {
  readonly radius: number
  readonly size: number
  readonly active: boolean
}

const CONTEXTS = 1024
const CAUTION = 1.5
/** One-sided 95% point of the standard normal. */
const ONE_SIDED = 1.6449

export function capLadder(
  fit: LadderFit,
  table: RoundTable,
  range: RoundRange,
  settings: LadderFitSettings,
  which: number,
  basisAt: BasisByClass,
): { readonly fit: LadderFit; readonly cap: LadderCap | null } {
  const calibration = settings.calibration!
  const { name, feature } = settings.encoding.covariates[which]!
  const delta0 = radiusOf(calibration, name)
  if (delta0 === undefined && calibration.cap === 'none') return { fit, cap: null }
  const radius = delta0 === undefined ? estimatedRadius(fit) : delta0 / insideUnit(feature)
  const size = sizeOf(fit, table, range, settings, which, basisAt(basisOfRung(fit.rung)))
  if (size <= radius) return { fit, cap: { radius, size, active: false } }
  const factor = radius / size
  const scaled = (column: readonly number[]) => column.map((value) => factor * value)
  return {
    fit: {
      ...fit,
      coefficients: fit.coefficients.map(scaled),
      byFold: fit.byFold.map(([a, b]) => [scaled(a), scaled(b)]),
      ...(fit.map === undefined
        ? {}
        : {
            map: scaleMap(fit.map, factor),
            mapByFold: [scaleMap(fit.mapByFold![0], factor), scaleMap(fit.mapByFold![1], factor)],
          }),
    },
    cap: { radius, size, active: true },
  }
}

export function estimatedRadius({ loss, rows }: Pick<LadderFit, 'loss' | 'rows'>): number {
  const upper = loss.pretrained * (1 + ONE_SIDED * Math.sqrt(2 / Math.max(1, rows))) - loss.calibrated
  return CAUTION * Math.sqrt(Math.max(0, upper))
}

/** Root mean square of the correction over the newest contexts. */
function sizeOf(
  fit: LadderFit,
  table: RoundTable,
  { from, to }: RoundRange,
  { encoding, shape }: LadderFitSettings,
  which: number,
  basis: InputBasis,
): number {
  const { at } = encoding.covariates[which]!
  const moved = compileMap(fit.map)
  const b = new Float64Array(basis.columns)
  const first = Math.max(from, to - CONTEXTS)
  let square = 0
  let count = 0
  for (let round = first; round < to; round++) {
    const block = table.blocks[Math.floor(round / BLOCK_ROUNDS)]!
    const row = round % BLOCK_ROUNDS
    const own = row * shape.covariateWidth + at
    const pretrained = block.pretrained[own]!
    if (Number.isNaN(pretrained)) continue
    basis.expandAt(block.context, row * shape.contextWidth, block.pretrained, own, b, 0)
    count++
    for (const column of fit.coefficients) {
      let h = fit.map === undefined ? 0 : moved(pretrained)
      for (let k = 0; k < column.length; k++) h += column[k]! * b[k]!
      square += h * h
    }
  }
  return count === 0 ? 0 : Math.sqrt(square / count)
}
