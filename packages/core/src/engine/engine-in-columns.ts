// An engine for other columns of the same problem: those that a state's models were learnt in.

import type { Columns } from '../problem/columns.js'
import type { Imputer } from '../problem/imputer.js'
import type { CovariateSpec, Problem } from '../problem/problem.js'
import { createEngine, type Engine } from './engine.js'

/** The same options and actions; predictions are given to it, so it needs no models. */
export function engineInColumns(engine: Engine, { context, covariates }: Columns): Engine {
  const { problem } = engine
  const specs = Object.entries(problem.covariates).map(([name, { imputer, reveals, audit, reasons }]) => [
    name,
    {
      ...covariates[name],
      imputer: silent(imputer),
      ...(reveals === undefined ? {} : { reveals }),
      ...(audit === undefined ? {} : { audit }),
      ...(reasons === undefined ? {} : { reasons }),
    } as CovariateSpec,
  ])
  const other = { ...problem, context, covariates: Object.fromEntries(specs) as Problem['covariates'] }
  return { ...createEngine(other, engine.given), imputers: engine.imputers }
}

function silent(imputer: Imputer): Imputer {
  if (imputer.kind !== 'ensemble') return { kind: 'column' }
  const members = Object.keys(imputer.members).map((name) => [name, { kind: 'column' }] as const)
  return { kind: 'ensemble', members: Object.fromEntries(members) }
}
