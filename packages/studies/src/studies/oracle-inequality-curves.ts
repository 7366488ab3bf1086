// The measurements of the study oracle-inequality: error curves of the reward fit in six configurations, and Thm 1's bounds.

import {
  buildEnvironment,
  type CovariateLaw,
  type CovariateStructure,
  referenceData,
  referenceStructure,
} from '@primo/lab'
import type { StudyOptions } from '@primo/lab/node'
import { linearRadius, theorem1 } from '@primo/theory'
import { type EnvironmentElasticities, environmentElasticities, type FilledBy } from './environment-elasticities.js'
import { fitErrors, freshSample, type ImputedRows } from './imputed-reward-fit.js'
import { doublings } from './rate-figures.js'

interface Configuration {
  readonly name: string
  readonly environment: string
  readonly covariateNoise: boolean
  readonly filledBy: FilledBy
}

const CONFIGURATIONS = [
  { name: 'no noise, no bias', environment: 'A', covariateNoise: false, filledBy: 'true mean' },
  { name: 'covariate noise only', environment: 'A', covariateNoise: true, filledBy: 'true mean' },
  { name: 'bias only', environment: 'A', covariateNoise: false, filledBy: 'pretrained' },
  { name: 'bias and noise', environment: 'A', covariateNoise: true, filledBy: 'pretrained' },
  { name: 'curvature (B)', environment: 'B', covariateNoise: true, filledBy: 'true mean' },
  { name: 'MNAR, g = g*', environment: 'MNAR+4', covariateNoise: true, filledBy: 'true mean' },
] as const satisfies readonly Configuration[]

export type ConfigurationName = (typeof CONFIGURATIONS)[number]['name']

export const DELTA = 0.05

export interface OracleInequalitySize {
  readonly lastExponent: number
  readonly repeats: number
  /** Rows of the fresh sample, and draws for the elasticities. */
  readonly fresh: number
}

export interface ErrorCurve {
  readonly name: string
  readonly environment: string
  readonly sizes: readonly number[]
  /** By repetition. */
  readonly errors: readonly (readonly number[])[]
  /** For N -> infinity. */
  readonly limit: number
  readonly elasticities: EnvironmentElasticities
  /** Thm 1 at each size; null where it is infinite. */
  readonly printed: readonly (number | null)[]
  readonly corrected: readonly number[]
}

export function oracleInequalityCurves(size: OracleInequalitySize, options: StudyOptions): readonly ErrorCurve[] {
  const sizes = doublings(7, size.lastExponent)
  // Never one of the seeds of the repetitions.
  const apart = options.seed + 1_000_000
  return CONFIGURATIONS.map((configuration, index) => {
    const rows = rowsOf(configuration)
    const fresh = freshSample(rows, size.fresh, apart)
    const { filledBy, name, environment } = configuration
    const elasticities = environmentElasticities(rows.environment, { filledBy, draws: size.fresh, seed: apart + 1 })
    const errors = Array.from({ length: size.repeats }, (_, repeat) => {
      options.onProgress?.((index + repeat / size.repeats) / CONFIGURATIONS.length)
      return fitErrors(rows, fresh, sizes, options.seed + repeat)
    })
    const bounds = sizes.map((n) => boundsAt(environment, elasticities, n))
    return {
      name,
      environment,
      sizes,
      errors,
      limit: fresh.errorLimit,
      elasticities,
      printed: bounds.map(({ printed }) => printed),
      corrected: bounds.map(({ corrected }) => corrected),
    }
  })
}

function rowsOf({ environment, covariateNoise, filledBy }: Configuration): ImputedRows {
  const structure = referenceStructure(environment)
  const quiet: CovariateLaw = { kind: 'additive', eta: () => 0 }
  const own = structure.covariate!
  const covariate: CovariateStructure = covariateNoise ? own : { ...own, law: quiet }
  return {
    environment: buildEnvironment({ ...structure, covariate }),
    theta: referenceData(environment).theta,
    filledBy,
  }
}

/** Thm 1 with the elasticities at f*. */
export function boundsAt(
  environment: string,
  { printed, missingOnly, bias }: EnvironmentElasticities,
  rows: number,
): { readonly printed: number | null; readonly corrected: number } {
  const { theta, rewardNoise: lambda } = referenceData(environment)
  const rewardRadius = linearRadius({ dimension: theta.length * theta[0]!.length, rows }).radius
  const shared = { rows, rewardRadius, lambda, delta: DELTA }
  return {
    // upsilon = E is the choice that makes the printed bound smallest.
    printed:
      printed === 0 ? null : theorem1({ ...shared, formulas: 'printed', elasticity: printed, upsilon: printed }).bound,
    corrected: theorem1({ ...shared, elasticity: missingOnly, biasElasticity: bias }).bound,
  }
}
