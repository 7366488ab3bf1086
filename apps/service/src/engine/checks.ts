// Values that are checked before they become commands.

import { checkTruths, PrimoError } from '@primo/core'
import type { ProblemHost } from './problem-host.js'

export function checkRewardValue({ row }: ProblemHost, value: number): void {
  const { min, max } = row.definition.reward
  if (!(value >= min && value <= max))
    throw new PrimoError('out-of-range', `value must be between ${min} and ${max}, got ${value}`, { value })
}

export function checkReveal({ engine }: ProblemHost, covariates: Readonly<Record<string, unknown>>): void {
  if (Object.keys(covariates).length === 0)
    throw new PrimoError('invalid-request', 'covariates must name at least one covariate, got none')
  checkTruths(engine, covariates)
}
