// The constants of a problem for `primo bounds`, and where each comes from: a flag, an environment (measured by drawing from it), the
// JSON of `primo calibrate` (estimated, at the upper ends of their 95% intervals), or reference environment A.

import { createEnvironment, environmentConstants, referenceData, scenarioFromName } from '@primo/lab'
import { lipschitzElasticity } from '@primo/theory'
import { readJson } from '../json-file.js'
import { UsageError } from '../output.js'

export type ConstantName =
  | 'actions'
  | 'lambda'
  | 'elasticityPrinted'
  | 'elasticityMissing'
  | 'lipschitz'
  | 'omega0'
  | 'etaBound'
  | 'delta0'
  | 'eps0'

export interface SourcedConstant {
  readonly value: number
  /** "given", "environment A", "measured in ...", "estimated, 95% interval ...". */
  readonly source: string
}

export type SourcedConstants = Readonly<Partial<Record<ConstantName, SourcedConstant>>>

export function referenceConstants(): Readonly<Record<ConstantName, SourcedConstant>> {
  const { constants, theta, rewardNoise, covariateNoise } = referenceData('A')
  const of = (value: number) => ({ value, source: 'environment A' })
  return {
    actions: of(theta.length),
    lambda: of(rewardNoise),
    elasticityPrinted: of(constants.elasticityPrinted),
    elasticityMissing: of(constants.elasticityMissingOnly),
    lipschitz: of(constants.lipschitzInCovariate),
    omega0: of(constants.omega0),
    etaBound: of(covariateNoise),
    delta0: of(constants.delta0),
    eps0: of(0.1),
  }
}

export function scenarioConstants(name: string): SourcedConstants {
  const environment = createEnvironment(scenarioFromName(name))
  const found = environmentConstants(environment)
  const measured = ({ value, standardError }: (typeof found)['delta0']) => ({
    value,
    source: standardError === null ? `measured in ${name}` : `measured in ${name}, se ${standardError.toPrecision(2)}`,
  })
  return {
    actions: { value: environment.problem.actions.length, source: name },
    elasticityPrinted: measured(found.elasticityPrinted),
    elasticityMissing: measured(found.elasticityMissingOnly),
    lipschitz: measured(found.lipschitzInCovariate),
    omega0: measured(found.omega0),
    delta0: measured(found.delta0),
  }
}

interface Calibrated {
  readonly elasticity?: { readonly pretrained?: { readonly all: Bounded | null; readonly missing: Bounded | null } }
  readonly constants?: {
    readonly delta0: Limited
    readonly omega0: Limited
    readonly tau: number
    readonly unit: number
  } | null
}

interface Bounded {
  readonly value: number
  readonly low: number
  readonly high: number
}

interface Limited {
  readonly value: number
  readonly low: number | null
  readonly high: number | null
  readonly limit: number | null
}

/** `lipschitz`: L_Z, mean reward (in units of its range) per unit of the covariate; the elasticities need it. */
export function calibrationConstants(file: string, lipschitz: number | undefined): SourcedConstants {
  const { constants, elasticity } = readJson<Calibrated>('--calibration', file)
  if (constants == null)
    throw new UsageError(
      `--calibration must hold constants (primo calibrate --json writes them), got none in "${file}"`,
    )
  const { delta0, omega0, tau, unit } = constants
  const limited = (flag: string, { value, low, high, limit }: Limited): SourcedConstant => {
    if (limit === null || low === null || high === null)
      throw new UsageError(
        `--${flag} must be given: "${file}" has no interval for it (its notes say why), got ${value}`,
      )
    const interval = `${(low / unit).toPrecision(3)} to ${(high / unit).toPrecision(3)}`
    return { value: limit / unit, source: `upper 95% limit; estimated ${(value / unit).toPrecision(3)}, ${interval}` }
  }
  const filled: SourcedConstants = {
    delta0: limited('delta0', delta0),
    omega0: limited('omega0', omega0),
    etaBound: { value: tau / unit, source: 'the largest seen: a lower bound' },
  }
  const { all, missing } = elasticity?.pretrained ?? { all: null, missing: null }
  if (lipschitz === undefined || all === null) return filled
  // L_Z^2 times a mean square: the units of the covariate cancel.
  const bound = lipschitzElasticity({
    slope: lipschitz,
    meanSquare: all.high,
    missingMeanSquare: missing?.high ?? 0,
  })
  const source = 'L_Z^2 times the upper end of a mean square'
  return {
    ...filled,
    lipschitz: { value: lipschitz * unit, source: 'given' },
    elasticityPrinted: { value: bound.printed, source },
    elasticityMissing: { value: bound.missingOnly, source },
  }
}
