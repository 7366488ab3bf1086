// The fitted linear reward model and its scorer: f-hat(x, z, a) = clip(phi(x, z)'theta_a).

import { actionGroups, interleaved, linearScores, quadraticForms, type SimdScores, simdScores } from '@primo/numeric'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import { type Design, designColumns } from './design.js'
import type { RewardScorer } from './oracle.js'
import type { RewardClip } from './reward-clip.js'
import { actionWidths, LARGEST_WIDTH } from './reward-noise.js'
import { compileScoreLines } from './score-lines.js'
import { compileDesign, compileDesignRows, type RowsWriter } from './write-design.js'

/** A fitted linear reward model. */
export interface LinearModel {
  readonly kind: 'linear'
  readonly design: Design
  /** theta_a by action. */
  readonly coefficients: readonly (readonly number[])[]
  /** Rewards are predicted inside this range; null: not clipped. */
  readonly clip: RewardClip | null
  /** Residual standard deviation. */
  readonly sigma: number
  readonly degreesOfFreedom: readonly number[]
  /** Rows fitted, by action. */
  readonly rows: readonly number[]
  /** Their total weight: the number of rows when all count alike. */
  readonly weight: number
  /**
   * By action, the covariance of theta_a over sigma^2, row-major; without it (option width 'action') the width is
   * sigma * sqrt(degreesOfFreedom_a / rows_a).
   */
  readonly covariance: readonly (readonly number[])[] | null
  /** Share of predictions that the clip moved, on the newest fitted rows. */
  readonly clippedShare: number
}

export function compileLinear(model: LinearModel, spread?: readonly ResidualMoments[]): RewardScorer {
  const columns = designColumns(model.design)
  const write = compileDesign(model.design, spread)
  const actions = model.coefficients.length
  const theta = Float64Array.from(model.coefficients.flat())
  const phi = new Float64Array(columns)
  const min = model.clip?.min ?? Number.NEGATIVE_INFINITY
  const max = model.clip?.max ?? Number.POSITIVE_INFINITY
  const variancesOf = model.covariance === null ? null : compileVariances(model.covariance, columns)
  const variances = new Float64Array(4 * Math.ceil(actions / 4))
  const { sigma } = model
  const widthOf = actionWidths(model)
  const clip = (values: Float64Array, count: number) => {
    for (let a = 0; a < count; a++) {
      const value = values[a]!
      values[a] = value < min ? min : value > max ? max : value
    }
  }
  const scorer: RewardScorer = {
    scores: (input, row, out) => {
      write(input, row, phi, 0)
      linearScores(theta, actions, phi, columns, out)
      clip(out, actions)
    },
    widths: (out) => {
      if (variancesOf === null) {
        for (let a = 0; a < actions; a++) out[a] = widthOf[a]!
        return
      }
      variancesOf.ofRow(phi, variances)
      for (let a = 0; a < actions; a++) out[a] = Math.min(LARGEST_WIDTH, sigma * Math.sqrt(variances[a]!))
    },
    lines: (column) => compileScoreLines(model, spread ?? [], column),
  }
  if (simdScores === null) return scorer
  const rowsWithSimd = compileRows(model, compileDesignRows(model.design, spread), simdScores, variancesOf)
  return {
    ...scorer,
    scoreRows: (input, first, count, scores, widths, rows = null) => {
      rowsWithSimd(input, first, count, scores, widths, rows)
      clip(scores, count * actions)
      if (widths === null) return
      if (variancesOf === null) {
        for (let row = 0, at = 0; row < count; row++) for (let a = 0; a < actions; a++) widths[at++] = widthOf[a]!
        return
      }
      for (let k = 0; k < count * actions; k++) {
        const variance = widths[k]!
        const width = variance < 0 ? 0 : sigma * Math.sqrt(variance)
        widths[k] = width > LARGEST_WIDTH ? LARGEST_WIDTH : width
      }
    },
  }
}

/** Rows that are written and scored before the next ones, so that they stay in the nearest cache. */
const CHUNK = 64

/** phi'Cov phi by action, never below 0 for one row. */
interface Variances {
  readonly ofRow: (phi: Float64Array, out: Float64Array) => void
  /** Of rows that stand in SIMD memory. */
  readonly ofRows: (count: number, out: Float64Array, at: number) => void
}

function compileVariances(covariance: readonly (readonly number[])[], columns: number): Variances {
  const actions = covariance.length
  if (simdScores === null) {
    const groups = interleaved(covariance)
    return { ofRow: (phi, out) => quadraticForms(groups, phi, columns, out), ofRows: () => undefined }
  }
  const lanes = simdScores
  // Made when the first rule asks for widths.
  let triangles: ReturnType<typeof actionGroups> | null = null
  const ofRows: Variances['ofRows'] = (count, out, at) => {
    triangles ??= actionGroups(covariance.map((matrix) => upperTriangle(matrix, columns)))
    lanes.forms(triangles, count, columns, out, at, actions)
  }
  return {
    ofRow: (phi, out) => {
      lanes.rows(columns).set(phi)
      ofRows(1, out, 0)
      for (let a = 0; a < actions; a++) if (!(out[a]! > 0)) out[a] = 0
    },
    ofRows,
  }
}

/** Writes unclipped scores and, where there is a covariance, phi'Cov phi. */
function compileRows(
  { coefficients, design }: LinearModel,
  write: RowsWriter,
  lanes: SimdScores,
  variances: Variances | null,
): NonNullable<RewardScorer['scoreRows']> {
  const columns = designColumns(design)
  const actions = coefficients.length
  const groups = actionGroups(coefficients)
  return (input, first, count, scores, widths, rows = null) => {
    for (let done = 0; done < count; done += CHUNK) {
      const some = Math.min(CHUNK, count - done)
      const cells = lanes.rows(some * columns)
      write(input, rows, first + done, some, cells, columns, null)
      lanes.scores(groups, some, columns, scores, done * actions, actions)
      if (widths !== null) variances?.ofRows(some, widths, done * actions)
    }
  }
}

/** Row by row. */
function upperTriangle(matrix: readonly number[], n: number): readonly number[] {
  const out: number[] = []
  for (let i = 0; i < n; i++) for (let j = i; j < n; j++) out.push(matrix[i * n + j]!)
  return out
}
