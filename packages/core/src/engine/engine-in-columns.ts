// An engine for other columns of the same problem: those that a state's models were learnt in, or those that its rounds are to have.

import type { Columns } from '../problem/columns.js'
import type { Imputer } from '../problem/imputer.js'
import type { CovariateSpec, Problem } from '../problem/problem.js'
import { createEngine, type Engine } from './engine.js'

/** The same options, actions and models, which it names and never asks: in other columns some could not be. */
export function engineInColumns(engine: Engine, { context, covariates }: Columns): Engine {
  const { problem } = engine
  const specs = Object.entries(problem.covariates).map(([name, { imputer, reveals, audit, price, reasons }]) => [
    name,
    {
      ...covariates[name],
      imputer: silent(imputer),
      ...(reveals === undefined ? {} : { reveals }),
      ...(audit === undefined ? {} : { audit }),
      ...(price === undefined ? {} : { price }),
      ...(reasons === undefined ? {} : { reasons }),
    } as CovariateSpec,
  ])
  const other = { ...problem, context, covariates: Object.fromEntries(specs) as Problem['covariates'] }
  const made = createEngine(other, engine.given)
  const named = made.encoding.covariates.map((covariate) => ({
    ...covariate,
    feature: { ...covariate.feature, imputer: problem.covariates[covariate.name]!.imputer },
  }))
  return { ...made, imputers: engine.imputers, encoding: { ...made.encoding, covariates: named } }
}

function silent(imputer: Imputer): Imputer {
  if (imputer.kind !== 'ensemble') return { kind: 'column' }
  const members = Object.keys(imputer.members).map((name) => [name, { kind: 'column' }] as const)
  return { kind: 'ensemble', members: Object.fromEntries(members) }
}
