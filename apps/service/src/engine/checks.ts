// Values that are checked before they become commands.

import { checkTruths } from '@primo/core/engine'
import { PrimoError } from '@primo/numeric'
import type { ProblemHost } from './problem-host.js'

export function checkReveal({ engine }: ProblemHost, covariates: Readonly<Record<string, unknown>>): void {
  if (Object.keys(covariates).length === 0)
    throw new PrimoError('invalid-request', 'covariates must name at least one covariate, got none')
  checkTruths(engine, covariates)
}
