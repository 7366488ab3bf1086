// The measurements of the study regret-elasticity: one point per mechanism and imputer, with its elasticities.

import type { RunRow } from '@primo/lab'
import { createEnvironment, type ReferenceScenario, referenceData } from '@primo/lab'
import type { StudyOptions } from '@primo/lab/node'
import { type EnvironmentElasticities, environmentElasticities } from './environment-elasticities.js'
import { referencePolicies } from './reference-policies.js'
import { runRows } from './run-rows.js'

const MECHANISMS: Readonly<Record<string, NonNullable<ReferenceScenario['missingness']>>> = {
  MCAR: { kind: 'mcar', share: 0.5 },
  MAR: { kind: 'mar' },
  'MNAR +4': { kind: 'mnar', mnarStrength: 4 },
  'MNAR -4': { kind: 'mnar', mnarStrength: -4 },
}
export const BIASES = [0, 0.5, 1, 1.5, 2, 3]
/** Of the practical gamma. */
export const C = 100

export interface RegretElasticitySize {
  /** A power of two. */
  readonly rounds: number
  readonly repeats: number
  /** For the elasticities. */
  readonly draws: number
}

/** One mechanism and one imputer. Lists are by seed, per round of the last half. */
export interface ElasticityPoint {
  readonly mechanism: string
  readonly bias: number
  readonly elasticities: EnvironmentElasticities
  readonly regret: readonly number[]
  readonly seeing: readonly number[]
  readonly floor: readonly number[]
}

export async function elasticityPoints(
  size: RegretElasticitySize,
  options: StudyOptions,
): Promise<readonly ElasticityPoint[]> {
  const { policy } = referencePolicies(referenceData('A'))
  const settings = { profile: 'primo', window: 'all', gamma: { kind: 'practical', c: C } } as const
  const scenarios = Object.entries(MECHANISMS).flatMap(([mechanism, missingness]) =>
    BIASES.map((bias) => ({ mechanism, bias, spec: scenarioOf(`${mechanism}, bias ${bias}`, missingness, bias) })),
  )
  const shared = { rounds: size.rounds, repeats: size.repeats, seed: options.seed }
  const share = 1 / (scenarios.length + 1)
  // A policy that sees all values does not depend on what is missing or how it is filled: one scenario is enough.
  const seeing = await runRows(
    { ...shared, scenarios: [scenarios[0]!.spec], policies: [policy('sees all values', settings, 'truth')] },
    { ...options, onProgress: (part) => options.onProgress?.(share * part) },
  )
  const rows = await runRows(
    { ...shared, scenarios: scenarios.map(({ spec }) => spec), policies: [policy('primo', settings)] },
    { ...options, onProgress: (part) => options.onProgress?.(share + (1 - share) * part) },
  )
  const regretSeeing = seeing.map((row) => lastHalf(row).regret)
  return scenarios.map(({ mechanism, bias, spec }) => {
    const halves = rows.filter(({ scenario }) => scenario === spec.name).map(lastHalf)
    const elasticities = environmentElasticities(createEnvironment(spec), {
      draws: size.draws,
      seed: options.seed + 1_000_000,
    })
    return {
      mechanism,
      bias,
      elasticities,
      regret: halves.map(({ regret }) => regret),
      seeing: regretSeeing,
      floor: halves.map(({ floor }) => floor),
    }
  })
}

function scenarioOf(name: string, missingness: ReferenceScenario['missingness'], bias: number) {
  return {
    kind: 'reference',
    environment: 'A',
    name,
    ...(missingness === undefined ? {} : { missingness }),
    imputer: { bias },
  } satisfies ReferenceScenario
}

/** Regret and unavoidable regret per round over the second half of a run. */
function lastHalf({ rounds, checkpoints }: RunRow): { readonly regret: number; readonly floor: number } {
  const from = checkpoints.find((one) => one.rounds === rounds / 2)!
  const to = checkpoints.at(-1)!
  const count = rounds - from.rounds
  return { regret: (to.regret - from.regret) / count, floor: (to.floor! - from.floor!) / count }
}
