// What a candidate changes of a problem: how it learns, and models of its covariates. The same form undoes it.

import type { ProblemDefinition } from '@primo/contract'
import type { Book } from './book.js'
import type { Command } from './commands.js'

export interface CandidateChanges {
  readonly learning?: NonNullable<ProblemDefinition['learning']>
  readonly imputers?: Readonly<Record<string, ProblemDefinition['covariates'][string]['imputer']>>
}

/** The definition with these changes; covariates that it does not have are left out. */
export function changedDefinition(definition: ProblemDefinition, changes: CandidateChanges): ProblemDefinition {
  const { learning, imputers = {} } = changes
  return {
    ...definition,
    ...(learning === undefined ? {} : { learning }),
    covariates: Object.fromEntries(
      Object.entries(definition.covariates).map(([name, covariate]) => [
        name,
        Object.hasOwn(imputers, name) ? { ...covariate, imputer: imputers[name]! } : covariate,
      ]),
    ),
  }
}

/** What takes the changes back. */
export function undoing(definition: ProblemDefinition, { learning, imputers }: CandidateChanges): CandidateChanges {
  return {
    ...(learning === undefined ? {} : { learning: definition.learning ?? {} }),
    ...(imputers === undefined
      ? {}
      : {
          imputers: Object.fromEntries(
            Object.keys(imputers).map((name) => [name, definition.covariates[name]!.imputer]),
          ),
        }),
  }
}

/** Numbers of the records that settling a command reads. */
export function stepsRead({ kind }: Command, { candidate, watch }: Book): readonly number[] {
  if ((kind === 'candidate' || kind === 'look') && candidate !== undefined) return [candidate.since]
  return kind === 'demote' && watch !== undefined ? [watch.since] : []
}
