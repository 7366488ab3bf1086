// Draws from the law of z* given its mean, and the nodes over which that law is summed: 32 midpoints of eta's quantile
// function, or the values of a discrete covariate.

import type { CovariateStructure } from './structure.js'

const NODES = 32

/** z* from its mean and a uniform draw. */
export function covariateDraw(covariate: CovariateStructure): (mean: number, draw: number) => number {
  const { law, imputer } = covariate
  if (law.kind === 'additive') {
    const { eta } = law
    const spread = 1 - imputer.extra
    return (mean, draw) => mean + spread * eta(draw)
  }
  const { values, writeShares } = law
  const shares = new Float64Array(values.length)
  return (mean, draw) => {
    writeShares(mean, shares)
    let below = 0
    for (let k = 0; k < values.length - 1; k++) {
      below += shares[k]!
      if (draw < below) return values[k]!
    }
    return values[values.length - 1]!
  }
}

/** Values of eta with their weights, for a mean; `fixed` when they are the same for every mean. */
export interface CovariateNodes {
  readonly fixed: boolean
  readonly etas: Float64Array
  readonly weights: Float64Array
  readonly place: (mean: number) => void
}

export function covariateNodes(covariate: CovariateStructure): CovariateNodes {
  const { law, imputer } = covariate
  if (law.kind === 'additive') {
    const spread = 1 - imputer.extra
    return {
      fixed: true,
      etas: Float64Array.from({ length: NODES }, (_, j) => spread * law.eta((j + 0.5) / NODES)),
      weights: new Float64Array(NODES).fill(1),
      place: () => {},
    }
  }
  const etas = new Float64Array(law.values.length)
  const weights = new Float64Array(law.values.length)
  return {
    fixed: false,
    etas,
    weights,
    place: (mean) => {
      law.values.forEach((value, k) => {
        etas[k] = value - mean
      })
      law.writeShares(mean, weights)
    },
  }
}
