// The default's reward model as frozen data, and its scorer: f_a = mu_a'phi with width w_a = sqrt(phi'S_a phi).

import { actionGroups, interleaved, linearScores, quadraticForms, simdScores } from '@primo/numeric'
import type { InputRow, Oracle, RewardScorer, ScoreLines } from '../oracle/oracle.js'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import { columnCount, compileColumns, type ModelColumns } from './columns.js'

export interface HierarchicalModel {
  readonly kind: 'hierarchical'
  readonly contextWidth: number
  readonly covariateWidth: number
  /** Which covariate each covariate column belongs to. */
  readonly owners: readonly number[]
  readonly columns: ModelColumns
  /** mu_a by action, the mean of all rewards added to the constant. */
  readonly coefficients: readonly (readonly number[])[]
  /** S_a by action: the upper triangle, row by row. */
  readonly covariance: readonly (readonly number[])[]
  /** Noise variance by action, and the root of its mean. */
  readonly variances: readonly number[]
  readonly sigma: number
  /** By action: third moment of the residuals over their second, 0 where they lean downwards. */
  readonly skews: readonly number[]
  /** Rounds fitted, by action, and their total weight. */
  readonly rows: readonly number[]
  readonly weight: number
  readonly degreesOfFreedom: readonly number[]
  readonly clippedShare: number
  /** Prior variance by group, and the log evidence for those that may be left out. */
  readonly prior: Readonly<Record<string, number>>
  readonly evidence: Readonly<Record<string, number>>
}

/** Rows that are written and scored before the next ones, so that they stay in the nearest cache. */
const CHUNK = 64

export function compileHierarchical(model: HierarchicalModel, spread: readonly ResidualMoments[] = []): RewardScorer {
  const { coefficients, covariance } = model
  const columns = columnCount(model.columns)
  const actions = coefficients.length
  const write = compileInputs(model, spread)
  const theta = Float64Array.from(coefficients.flat())
  const phi = new Float64Array(columns)
  const variances = new Float64Array(4 * Math.ceil(actions / 4))
  const lanes = simdScores
  let triangles: ReturnType<typeof actionGroups> | null = null
  let squares: ReturnType<typeof interleaved> | null = null
  const scorer: RewardScorer = {
    scores: (input, row, out) => {
      write(input, row, phi, 0)
      linearScores(theta, actions, phi, columns, out)
    },
    widths: (out) => {
      if (lanes === null) {
        squares ??= interleaved(covariance.map((upper) => fullMatrix(upper, columns)))
        quadraticForms(squares, phi, columns, variances)
      } else {
        triangles ??= actionGroups(covariance)
        lanes.rows(columns).set(phi)
        lanes.forms(triangles, 1, columns, variances, 0, actions)
      }
      for (let a = 0; a < actions; a++) out[a] = Math.sqrt(Math.max(0, variances[a]!))
    },
    lines: (column) => linesIn(model, spread, column),
  }
  if (lanes === null) return scorer
  const groups = actionGroups(coefficients)
  return {
    ...scorer,
    scoreRows: (input, first, count, scores, widths, rows = null) => {
      for (let done = 0; done < count; done += CHUNK) {
        const some = Math.min(CHUNK, count - done)
        const cells = lanes.rows(some * columns)
        for (let i = 0; i < some; i++) {
          const row = rows === null ? first + done + i : rows[first + done + i]!
          write(input, row, cells, i * columns)
        }
        lanes.scores(groups, some, columns, scores, done * actions, actions)
        if (widths === null) continue
        triangles ??= actionGroups(covariance)
        lanes.forms(triangles, some, columns, widths, done * actions, actions)
      }
      if (widths !== null) {
        for (let k = 0; k < count * actions; k++) widths[k] = widths[k]! > 0 ? Math.sqrt(widths[k]!) : 0
      }
    },
  }
}

type InputShape = Pick<HierarchicalModel, 'contextWidth' | 'covariateWidth' | 'owners' | 'columns'>

/** Writes phi of a row of a block or of a batch. */
export function compileInputs(
  { contextWidth: p, covariateWidth: m, owners, columns }: InputShape,
  spread: readonly ResidualMoments[],
): (input: InputRow, row: number, out: Float64Array, to: number) => void {
  const write = compileColumns(columns)
  const count = owners.length === 0 ? 0 : owners[m - 1]! + 1
  const raw = new Float64Array(p + m + 1)
  const missing = new Float64Array(count)
  const open = new Float64Array(count)
  const variances = Float64Array.from({ length: count }, (_, k) => spread[k]?.[2] ?? 0)
  return ({ context, covariates, observed }, row, out, to) => {
    for (let k = 0, at = row * p; k < p; k++) raw[k] = context[at + k]!
    for (let k = 0, at = row * m; k < m; k++) raw[p + k] = covariates[at + k]!
    for (let k = 0, at = row * count; k < count; k++) {
      const seen = observed[at + k] === 1
      missing[k] = seen ? 0 : 1
      open[k] = seen ? 0 : variances[k]!
    }
    write(raw, missing, open, out, to)
  }
}

/** null: a square of the covariate is in use. */
function linesIn(model: HierarchicalModel, spread: readonly ResidualMoments[], column: number): ScoreLines | null {
  const { contextWidth: p, covariateWidth: m, owners, coefficients } = model
  const own = p + column
  const isBent = ({ inputs }: { readonly inputs: readonly number[] }) =>
    inputs.filter((input) => input === own).length > 1
  if (model.columns.groups.some(({ terms }) => terms.some(isBent))) return null
  const write = compileInputs(model, spread)
  const columns = columnCount(model.columns)
  const theta = Float64Array.from(coefficients.flat())
  const actions = coefficients.length
  const ends = [new Float64Array(columns), new Float64Array(columns)]
  const tried = {
    context: new Float64Array(p),
    covariates: new Float64Array(m),
    observed: new Uint8Array(owners.length === 0 ? 0 : owners[m - 1]! + 1),
  }
  return {
    min: Number.NEGATIVE_INFINITY,
    max: Number.POSITIVE_INFINITY,
    write: ({ context, covariates, observed }, row, constants, slopes) => {
      for (let k = 0; k < p; k++) tried.context[k] = context[row * p + k]!
      for (let k = 0; k < m; k++) tried.covariates[k] = covariates[row * m + k]!
      for (let k = 0; k < tried.observed.length; k++) tried.observed[k] = observed[row * tried.observed.length + k]!
      for (let end = 0; end < 2; end++) {
        tried.covariates[column] = end
        write(tried, 0, ends[end]!, 0)
        linearScores(theta, actions, ends[end]!, columns, end === 0 ? constants : slopes)
      }
      for (let a = 0; a < actions; a++) slopes[a] = slopes[a]! - constants[a]!
    },
  }
}

/** Row by row. */
export function upperTriangle(matrix: Float64Array, n: number): number[] {
  const out: number[] = []
  for (let i = 0; i < n; i++) for (let j = i; j < n; j++) out.push(matrix[i * n + j]!)
  return out
}

function fullMatrix(upper: readonly number[], n: number): readonly number[] {
  const full = new Array<number>(n * n)
  for (let i = 0, at = 0; i < n; i++) {
    for (let j = i; j < n; j++, at++) {
      full[i * n + j] = upper[at]!
      full[j * n + i] = upper[at]!
    }
  }
  return full
}

/** The default's reward model as an oracle: it is learnt by the end of an epoch (epoch/default-epoch.ts). */
export function hierarchicalOracle(): Oracle {
  return {
    kind: 'hierarchical',
    dimension: 0,
    radius: null,
    fit: () => {
      throw new Error('the default is learnt from streams')
    },
    compile: (model, spread) => compileHierarchical(model as HierarchicalModel, spread),
  }
}
