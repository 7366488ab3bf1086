// Which column of a table made elsewhere is what of a decision log (docs/log-format.md, "Logs made elsewhere").

import type { Feature } from '@primo/core'
import { PrimoError } from '@primo/numeric'
import { showCell } from '../tables/table-error.js'

export interface MappedFeature {
  /** Name in the log; default the column's. */
  readonly name?: string
  readonly column: string
  /** Default: found from the cells. */
  readonly feature?: Feature
}

interface MappedCovariate {
  readonly column: string
  /** A column of 0 and 1: where it is 0 the value is hidden. */
  readonly observed?: string
  readonly prediction?: string
  readonly feature?: Feature
}

/** Which column of a table made elsewhere is what of a decision log. */
export interface LogMapping {
  readonly action: string
  /** All actions in order; default: those that occur, sorted. */
  readonly actions?: readonly string[]
  readonly reward: string
  /** A column, 1/K, or a probability per action. */
  readonly propensity: string | { readonly uniform: true } | { readonly of: Readonly<Record<string, number>> }
  readonly decisionId?: string | null
  readonly eventId?: string | null
  readonly subject?: string | null
  readonly time?: string | null
  readonly eligible?: string | null
  readonly propensities?: string | null
  readonly context?: readonly (string | MappedFeature)[]
  readonly covariates?: Readonly<Record<string, MappedCovariate>>
  readonly rewardRange?: readonly [number, number]
}

const FIELDS = [
  'action',
  'actions',
  'reward',
  'propensity',
  'decisionId',
  'eventId',
  'subject',
  'time',
  'eligible',
  'propensities',
  'context',
  'covariates',
  'rewardRange',
]

/** A mapping that was written by hand, checked. */
export function checkLogMapping(given: unknown): LogMapping {
  requireFields('mapping', given, FIELDS)
  const mapping = given as LogMapping
  for (const field of ['action', 'reward'] as const) requireColumn(field, mapping[field])
  for (const field of ['decisionId', 'eventId', 'subject', 'time', 'eligible', 'propensities'] as const) {
    if (mapping[field] !== undefined && mapping[field] !== null) requireColumn(field, mapping[field])
  }
  const { propensity, context = [], covariates = {} } = mapping
  if (typeof propensity === 'object' && propensity !== null && 'of' in propensity) {
    const sum = Object.values(propensity.of).reduce((total, value) => total + value, 0)
    if (!(Math.abs(sum - 1) < 1e-6)) refuse('propensity.of', 'probabilities that sum to 1', sum)
  } else if (typeof propensity !== 'string' && propensity?.uniform !== true) {
    refuse('propensity', 'a column, {"uniform": true} or {"of": {...}}', propensity)
  }
  if (!Array.isArray(context)) refuse('context', 'a list of columns', context)
  for (const one of context) requireColumn('context', typeof one === 'object' ? one?.column : one)
  for (const [name, one] of Object.entries(covariates)) {
    requireFields(`covariates.${name}`, one, ['column', 'observed', 'prediction', 'feature'])
    requireColumn(`covariates.${name}.column`, one.column)
  }
  return mapping
}

function requireFields(field: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) refuse(field, 'an object', given)
  const extra = Object.keys(given).find((name) => !known.includes(name))
  if (extra !== undefined) refuse(field, `an object with ${known.join(', ')}`, extra)
}

function requireColumn(field: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') refuse(field, 'the name of a column', value)
}

function refuse(field: string, rule: string, value: unknown): never {
  throw new PrimoError(
    'invalid-option',
    `${field === 'mapping' ? field : `mapping.${field}`} must be ${rule}, got ${showCell(value)}`,
    { field, value },
  )
}
