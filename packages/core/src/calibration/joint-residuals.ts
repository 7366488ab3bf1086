// Residuals of several numeric covariates together (method#distribution): 16 vectors from the newest rounds in which all of
// them were seen, for features that multiply two missing values. Rounds are ordered by the sum of their standardised residuals
// and taken at the quantiles (i + 1/2)/16; the vectors are then moved and mixed linearly so that their mean is 0 and their
// covariances are those of all these rounds, with each variance the one of the covariate's own calibration.

import { BLOCK_ROUNDS, cholesky, solveLower } from '@primo/numeric'
import type { Encoding } from '../problem/encoding.js'
import { RESIDUAL_POINTS } from '../residuals/residual-points.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'
import { basisOf, type Correction, type CovariateModel } from './correction.js'
import { compileMap } from './monotone-map.js'

const MAX_ROWS = 512
const FEWEST_ROWS = 64
/** More covariates than this cannot be mixed from 16 vectors. */
const MAX_COVARIATES = 8

/** Per covariate its 16 coordinates; null where it takes no part. All null: fewer than two covariates or too few rounds. */
export function jointResiduals(
  table: RoundTable,
  range: RoundRange,
  encoding: Encoding,
  models: readonly (CovariateModel | null)[],
): readonly (readonly number[] | null)[] {
  const nothing = models.map(() => null)
  const parts = models.flatMap((model, which) =>
    model?.kind === 'correction' && model.moments !== undefined ? [{ which, model }] : [],
  )
  if (parts.length < 2 || parts.length > MAX_COVARIATES) return nothing
  const rows = completeResiduals(table, range, encoding, parts)
  if (rows.length < FEWEST_ROWS) return nothing
  const vectors = mixed(
    rows,
    parts.map(({ model }) => model.moments![2] ?? 0),
  )
  if (vectors === null) return nothing
  return models.map((_, which) => {
    const place = parts.findIndex((part) => part.which === which)
    return place < 0 ? null : vectors.map((vector) => vector[place]!)
  })
}

function completeResiduals(
  table: RoundTable,
  { from, to }: RoundRange,
  encoding: Encoding,
  parts: readonly { readonly which: number; readonly model: Correction }[],
): number[][] {
  const { contextWidth, covariateWidth: m, covariateCount: c } = table.shape
  const maps = parts.map(({ model }) => compileMap(model.map))
  const bases = parts.map(({ model }) => basisOf(model, encoding.context))
  const b = new Float64Array(Math.max(...bases.map(({ columns }) => columns)))
  const rows: number[][] = []
  for (let round = to - 1; round >= from && rows.length < MAX_ROWS; round--) {
    const block = table.blocks[Math.floor(round / BLOCK_ROUNDS)]!
    const row = round % BLOCK_ROUNDS
    if (block.status[row] !== RoundStatus.closed) continue
    const vector = parts.map(({ which, model }, k) => {
      const at = row * m + encoding.covariates[which]!.at
      if (block.observed[row * c + which] !== Observed.atDecision) return Number.NaN
      bases[k]!.expandAt(block.context, row * contextWidth, block.pretrained, at, b, 0)
      let predicted = block.pretrained[at]! + maps[k]!(block.pretrained[at]!)
      model.coefficients[0]!.forEach((value, i) => {
        predicted += value * b[i]!
      })
      return block.covariates[at]! - predicted
    })
    if (!vector.some(Number.isNaN)) rows.push(vector)
  }
  return rows
}

/** 16 vectors with mean 0 and the covariances of the rows, variances as given; null: the rows are degenerate. */
function mixed(rows: readonly (readonly number[])[], variances: readonly number[]): number[][] | null {
  const q = variances.length
  const { covariance, deviations } = covarianceOf(rows, q)
  if (deviations.some((value) => !(value > 0))) return null
  const order = rows
    .map((row) => ({ row, key: row.reduce((sum, value, k) => sum + value / deviations[k]!, 0) }))
    .sort((a, b) => a.key - b.key)
  const chosen = Array.from(
    { length: RESIDUAL_POINTS },
    (_, i) => order[Math.floor(((i + 0.5) / RESIDUAL_POINTS) * order.length)]!.row,
  )
  const target = covariance.map((value, at) => {
    const [i, j] = [Math.floor(at / q), at % q]
    return value * Math.sqrt((variances[i]! * variances[j]!) / (covariance[i * q + i]! * covariance[j * q + j]!))
  })
  const own = covarianceOf(chosen, q)
  const means = Array.from({ length: q }, (_, k) => chosen.reduce((sum, row) => sum + row[k]! / chosen.length, 0))
  try {
    const to = cholesky(target, q)
    const from = cholesky(own.covariance, q)
    return chosen.map((row) => {
      const white = Float64Array.from(row, (value, k) => value - means[k]!)
      solveLower(from, q, white)
      return Array.from({ length: q }, (_, i) => {
        let sum = 0
        for (let j = 0; j <= i; j++) sum += to[i * q + j]! * white[j]!
        return sum
      })
    })
  } catch {
    // Residuals that move in step have no such factor.
    return null
  }
}

function covarianceOf(rows: readonly (readonly number[])[], q: number) {
  const n = rows.length
  const means = Array.from({ length: q }, (_, k) => rows.reduce((sum, row) => sum + row[k]! / n, 0))
  const covariance = new Float64Array(q * q)
  for (const row of rows) {
    for (let i = 0; i < q; i++) {
      for (let j = 0; j < q; j++) {
        covariance[i * q + j] = covariance[i * q + j]! + ((row[i]! - means[i]!) * (row[j]! - means[j]!)) / n
      }
    }
  }
  return { covariance, deviations: Array.from({ length: q }, (_, k) => Math.sqrt(covariance[k * q + k]!)) }
}
