// f-hat of the linear class along one covariate column z, the other columns held: clip(theta_a'phi(x, z)) = clip(c_a + s_a z) where no
// feature has z twice. s_a sums theta_a times the derivatives of the features, c_a those without z; nothing is said of designs with
// powers of z, nor where features with z are means over what imputations leave open.

import { linearScores } from '@primo/numeric'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import { type Design, derivativesIn, designColumns } from './design.js'
import type { LinearModel } from './linear-model.js'
import type { ScoreLines } from './oracle.js'
import { productMeans } from './product-means.js'
import { compileDesign } from './write-design.js'

export function compileScoreLines(
  { design, coefficients, clip }: Pick<LinearModel, 'design' | 'coefficients' | 'clip'>,
  spread: readonly ResidualMoments[],
  column: number,
): ScoreLines | null {
  const derivatives = isMean(design, spread, column) ? null : derivativesIn(design, column)
  if (derivatives === null) return null
  const columns = designColumns(design)
  const actions = coefficients.length
  const write = compileDesign(design, spread)
  const phi = new Float64Array(columns)
  const constant = Float64Array.from(coefficients.flat())
  const count = derivatives.length
  /** Of features with z: theta by action, side by side, and the places of the other factors. */
  const theta = new Float64Array(count * actions)
  const factors = derivatives.map(({ factors: others }) => Int32Array.from(others))
  derivatives.forEach(({ feature }, k) => {
    for (let a = 0; a < actions; a++) {
      theta[k * actions + a] = constant[a * columns + feature]!
      constant[a * columns + feature] = 0
    }
  })
  return {
    min: clip?.min ?? Number.NEGATIVE_INFINITY,
    max: clip?.max ?? Number.POSITIVE_INFINITY,
    write: (input, row, constants, slopes) => {
      write(input, row, phi, 0)
      linearScores(constant, actions, phi, columns, constants)
      for (let a = 0; a < actions; a++) slopes[a] = 0
      for (let k = 0, t = 0; k < count; k++) {
        const others = factors[k]!
        let derivative = 1
        for (let f = 0; f < others.length; f++) derivative *= phi[others[f]!]!
        for (let a = 0; a < actions; a++) slopes[a] = slopes[a]! + derivative * theta[t++]!
      }
    },
  }
}

function isMean(design: Design, spread: readonly ResidualMoments[], column: number): boolean {
  return productMeans(design, spread).some(({ index }) =>
    design.products[index]!.includes(design.contextWidth + column),
  )
}
