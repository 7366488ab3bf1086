// The fitted linear reward model and its scorer: f-hat(x, z, a) = clip(phi(x, z)'theta_a).

import type { ResidualMoments } from '../imputation/residual-moments.js'
import { linearScores } from '../numeric/linear-scores.js'
import { actionGroups, type ScoreLanes, scoreLanes } from '../numeric/scores-lanes.js'
import {
  compileDesign,
  compileDesignRows,
  type Design,
  designColumns,
  hasPlainColumns,
  type RowsWriter,
} from './design.js'
import type { InputRow, RewardScorer } from './oracle.js'
import { compileScoreLines } from './score-lines.js'

export interface LinearModel {
  readonly kind: 'linear'
  readonly design: Design
  /** theta_a by action. */
  readonly coefficients: readonly (readonly number[])[]
  /** Rewards are predicted inside this range; null: not clipped. */
  readonly clip: { readonly min: number; readonly max: number } | null
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

const LARGEST_WIDTH = 1

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
  const actionWidths = Float64Array.from(model.coefficients, (_, a) =>
    Math.min(LARGEST_WIDTH, sigma * Math.sqrt(Math.max(1, model.degreesOfFreedom[a]!) / Math.max(1, model.rows[a]!))),
  )
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
        for (let a = 0; a < actions; a++) out[a] = actionWidths[a]!
        return
      }
      variancesOf.ofRow(phi, variances)
      for (let a = 0; a < actions; a++) out[a] = Math.min(LARGEST_WIDTH, sigma * Math.sqrt(variances[a]!))
    },
    lines: (column) => compileScoreLines(model, spread ?? [], column),
  }
  if (scoreLanes === null) return scorer
  const rowsInLanes = compileRows(model, compileDesignRows(model.design, spread), scoreLanes, variancesOf)
  return {
    ...scorer,
    scoreRows: (input, first, count, scores, widths) => {
      rowsInLanes(input, first, count, scores, widths)
      clip(scores, count * actions)
      if (widths === null) return
      if (variancesOf === null) {
        for (let row = 0, at = 0; row < count; row++) for (let a = 0; a < actions; a++) widths[at++] = actionWidths[a]!
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
  /** Of rows that stand in the lanes' memory. */
  readonly ofRows: (count: number, out: Float64Array, at: number) => void
}

function compileVariances(covariance: readonly (readonly number[])[], columns: number): Variances {
  const actions = covariance.length
  if (scoreLanes === null) {
    const groups = interleaved(covariance)
    return { ofRow: (phi, out) => quadraticForms(groups, phi, columns, out), ofRows: () => undefined }
  }
  const lanes = scoreLanes
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
  lanes: ScoreLanes,
  variances: Variances | null,
): NonNullable<RewardScorer['scoreRows']> {
  const columns = designColumns(design)
  const actions = coefficients.length
  const groups = actionGroups(coefficients)
  return (input, first, count, scores, widths) => {
    for (let done = 0; done < count; done += CHUNK) {
      const rows = Math.min(CHUNK, count - done)
      const cells = lanes.rows(rows * columns)
      write(input, null, first + done, rows, cells, columns, null)
      lanes.scores(groups, rows, columns, scores, done * actions, actions)
      if (widths !== null) variances?.ofRows(rows, widths, done * actions)
    }
  }
}

/** Row by row. */
function upperTriangle(matrix: readonly number[], n: number): readonly number[] {
  const out: number[] = []
  for (let i = 0; i < n; i++) for (let j = i; j < n; j++) out.push(matrix[i * n + j]!)
  return out
}

/** f-hat of each row's own action, for rows in which only the features from some column on are tried with other values. */
export interface ActionScores {
  /** phi of the rows as they were scored last, row-major. */
  readonly features: Float64Array
  /** Takes up rows 0 ... count - 1: what comes before that column is summed once. */
  readonly begin: (input: InputRow, count: number, action: Uint16Array) => void
  /** Writes f-hat of the rows taken up to `out`, clipped. The bits are those of `scores`. */
  readonly score: (input: InputRow, out: Float64Array) => void
}

/** For at most `most` rows; covariate columns from `firstCovariate` on may change between two scores. */
export function compileActionScores(
  model: LinearModel,
  spread: readonly ResidualMoments[],
  firstCovariate: number,
  most: number,
): ActionScores {
  const { design } = model
  const columns = designColumns(design)
  const { contextWidth: p, covariateWidth: m } = design
  const first = 1 + p + firstCovariate
  const write = compileDesignRows(design, spread)
  const plain = hasPlainColumns(design)
  const theta = Float64Array.from(model.coefficients.flat())
  const min = model.clip?.min ?? Number.NEGATIVE_INFINITY
  const max = model.clip?.max ?? Number.POSITIVE_INFINITY
  const features = new Float64Array(most * columns)
  const heads = new Float64Array(most)
  /** Where theta of a row's action begins. */
  const own = new Int32Array(most)
  let rows = 0
  return {
    features,
    begin: (input, count, action) => {
      rows = count
      write(input, null, 0, count, features, columns, null)
      for (let row = 0, at = 0; row < count; row++, at += columns) {
        const t = action[row]! * columns
        own[row] = t
        let head = 0
        for (let k = 0; k < first; k++) head += theta[t + k]! * features[at + k]!
        heads[row] = head
      }
    },
    score: (input, out) => {
      if (!plain) write(input, null, 0, rows, features, columns, null)
      const { covariates } = input
      for (let row = 0, at = 0; row < rows; row++, at += columns) {
        const t = own[row]!
        let value = heads[row]!
        for (let k = first; k < columns; k++) {
          if (plain) features[at + k] = covariates[row * m + k - 1 - p]!
          value += theta[t + k]! * features[at + k]!
        }
        out[row] = value < min ? min : value > max ? max : value
      }
    },
  }
}

/** Upper triangles, row by row, with the entries of four actions side by side; places without an action hold zeros. */
export function interleaved(matrices: readonly (readonly number[])[]): readonly Float64Array[] {
  const n = Math.sqrt(matrices[0]!.length)
  return Array.from({ length: Math.ceil(matrices.length / 4) }, (_, group) => {
    const out = new Float64Array(2 * n * (n + 1))
    let to = 0
    for (let i = 0; i < n; i++) {
      for (let j = i; j < n; j++) {
        for (let a = 4 * group; a < 4 * group + 4; a++) out[to++] = matrices[a]?.[i * n + j] ?? 0
      }
    }
    return out
  })
}

/** out[a] = v'M_a v, never below 0, four actions at a time; the bits of each do not depend on its neighbours. */
export function quadraticForms(
  groups: readonly Float64Array[],
  vector: Float64Array,
  n: number,
  out: Float64Array,
): void {
  for (let group = 0; group < groups.length; group++) {
    const m = groups[group]!
    let sum0 = 0,
      sum1 = 0,
      sum2 = 0,
      sum3 = 0
    for (let i = 0, at = 0; i < n; i++) {
      const value = vector[i]!
      const d0 = m[at]! * value,
        d1 = m[at + 1]! * value,
        d2 = m[at + 2]! * value,
        d3 = m[at + 3]! * value
      at += 4
      let row0 = 0,
        row1 = 0,
        row2 = 0,
        row3 = 0
      for (let j = i + 1; j < n; j++, at += 4) {
        const other = vector[j]!
        row0 += m[at]! * other
        row1 += m[at + 1]! * other
        row2 += m[at + 2]! * other
        row3 += m[at + 3]! * other
      }
      sum0 += value * (d0 + 2 * row0)
      sum1 += value * (d1 + 2 * row1)
      sum2 += value * (d2 + 2 * row2)
      sum3 += value * (d3 + 2 * row3)
    }
    const to = 4 * group
    out[to] = Math.max(0, sum0)
    out[to + 1] = Math.max(0, sum1)
    out[to + 2] = Math.max(0, sum2)
    out[to + 3] = Math.max(0, sum3)
  }
}
