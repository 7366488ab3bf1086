// A definition as those may see it who may not change it: of headers only the names of variables, of addresses no user and password.

import type { ProblemDefinition } from '@primo/contract'
import { environmentNames } from './headers.js'

export function withoutSecrets(definition: ProblemDefinition): ProblemDefinition {
  const covariates = Object.entries(definition.covariates).map(([name, covariate]) => [
    name,
    { ...covariate, imputer: hidden(covariate.imputer as Written) },
  ])
  return { ...definition, covariates: Object.fromEntries(covariates) }
}

interface Written {
  readonly url?: unknown
  readonly headers?: Readonly<Record<string, unknown>>
  readonly members?: Readonly<Record<string, Written>>
}

function hidden(imputer: Written): Written {
  const { url, headers, members } = imputer
  return {
    ...imputer,
    ...(typeof url === 'string' ? { url: url.replace(/^(https?:\/\/)[^/?#]*@/i, '$1hidden@') } : {}),
    ...(headers === undefined ? {} : { headers: mapped(headers, variablesOnly) }),
    ...(members === undefined ? {} : { members: mapped(members, hidden) }),
  }
}

function variablesOnly(value: unknown): string {
  const names = environmentNames(String(value))
  return names.length === 0 ? 'hidden' : names.map((name) => `{env:${name}}`).join(' ')
}

function mapped<A, B>(values: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}
