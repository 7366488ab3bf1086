// Elasticity of classes known by how fast they move with the covariate (method#elasticity,
// method#elasticity-from-data).
//   linear in z, f = alpha_a(x) + s_a(x) z with every |s_a| <= B allowed: exactly B^2 times a moment of z - g;
//   L_Z-Lipschitz in z: at most L_Z^2 times the same moment.
//   printed = maxInside = B^2 E[(z-g)^2], missingOnly = B^2 E[(1-b)(z-g)^2];
//   bias = B^2 E[(1-b)(g*-g)^2] under MAR for linear classes (erratum E46); a merely Lipschitz class keeps
//     missingOnly there.

import { requireAtLeast } from '@primo/numeric'

/** A slope, and the errors of the imputer. */
export interface SlopeElasticityInput {
  /** B, or L_Z. */
  readonly slope: number
  /** E[(z-g)^2]. */
  readonly meanSquare: number
  /** E[(1-b)(z-g)^2]; default meanSquare. */
  readonly missingMeanSquare?: number
  /** E[(1-b)(g*-g)^2]; default missingMeanSquare. */
  readonly biasMeanSquare?: number
}

/** Elasticity of a class known by its slope: printed, with the maximum inside, and on missing rows only. */
export interface SlopeElasticity {
  readonly kind: 'exact' | 'upper bound'
  readonly printed: number
  readonly maxInside: number
  readonly missingOnly: number
  readonly bias: number
}

/** Elasticity of a class that is linear in the covariate, exactly. */
export function linearElasticity(input: SlopeElasticityInput): SlopeElasticity {
  return slopeElasticity('exact', input)
}

/** Elasticity of a class that is Lipschitz in the covariate, from above. */
export function lipschitzElasticity(input: SlopeElasticityInput): SlopeElasticity {
  return slopeElasticity('upper bound', input)
}

function slopeElasticity(kind: 'exact' | 'upper bound', input: SlopeElasticityInput): SlopeElasticity {
  const { slope, meanSquare, missingMeanSquare = meanSquare, biasMeanSquare = missingMeanSquare } = input
  requireAtLeast('slope', slope, 0)
  requireAtLeast('meanSquare', meanSquare, 0)
  requireAtLeast('missingMeanSquare', missingMeanSquare, 0)
  requireAtLeast('biasMeanSquare', biasMeanSquare, 0)
  const scale = slope * slope
  return Object.freeze({
    kind,
    printed: scale * meanSquare,
    maxInside: scale * meanSquare,
    missingOnly: scale * missingMeanSquare,
    bias: scale * (kind === 'exact' ? biasMeanSquare : missingMeanSquare),
  })
}
