// The measurements of the study calibrated-regret: regret and unavoidable regret at powers of two, by environment, setting and learner.

import type { PolicySpec, RunRow } from '@primo/lab'
import { referenceData, scenarioFromName } from '@primo/lab'
import type { StudyOptions } from '@primo/lab/node'
import { doublings } from './rate-figures.js'
import { referencePolicies } from './reference-policies.js'
import { runRows } from './run-rows.js'

export const ENVIRONMENTS = ['A', 'B'] as const
export type EnvironmentName = (typeof ENVIRONMENTS)[number]

export const SETTINGS = ['all data, c = 100', 'as printed, c = 10'] as const
export type SettingName = (typeof SETTINGS)[number]

const LEARNERS = ['PRIMO', 'PRIMO-Cal', 'PRIMO-Cal, distributional', 'sees all values'] as const
export type LearnerName = (typeof LEARNERS)[number]

export interface CalibratedRegretSize {
  readonly lastExponent: number
  readonly repeats: number
}

/** Regret and unavoidable regret of one policy at the powers of two that are read, by seed. */
export interface RegretCurve {
  readonly environment: EnvironmentName
  readonly setting: SettingName
  readonly learner: LearnerName
  /** The ends of the doublings that are read, preceded by the start of the first. */
  readonly rounds: readonly number[]
  /** Cumulative. */
  readonly regret: readonly (readonly number[])[]
  readonly floor: readonly (readonly number[])[]
}

/** Doublings of T that are read. */
export const READ = 5

function policyOf(environment: EnvironmentName, setting: SettingName, learner: LearnerName): PolicySpec {
  const { policy, calibration } = referencePolicies(referenceData(environment))
  const name = `${learner}, ${setting}`
  const printed = setting === 'as printed, c = 10'
  const shared = printed ? {} : ({ window: 'all', gamma: { kind: 'practical', c: 100 } } as const)
  switch (learner) {
    case 'PRIMO':
      return policy(name, { ...shared, profile: 'primo' })
    case 'sees all values':
      return policy(name, { ...shared, profile: 'primo' }, 'truth')
    case 'PRIMO-Cal':
      return policy(name, {
        ...shared,
        profile: 'primo-cal',
        refresh: !printed,
        calibration: calibration(printed ? {} : { split: 'swap' }),
      })
    case 'PRIMO-Cal, distributional':
      return policy(name, {
        ...shared,
        profile: 'primo-cal',
        refresh: true,
        missing: 'distribution',
        calibration: calibration({ split: 'swap', weights: 'none' }),
      })
  }
}

/** Where the distribution of a missing value matters: it changes nothing when the reward is linear in z. */
function isCurved(environment: EnvironmentName, setting: SettingName): boolean {
  return environment === 'B' && setting === 'all data, c = 100'
}

export async function regretCurves(size: CalibratedRegretSize, options: StudyOptions): Promise<readonly RegretCurve[]> {
  const rounds = doublings(size.lastExponent - READ, size.lastExponent)
  const curves: RegretCurve[] = []
  for (const [index, environment] of ENVIRONMENTS.entries()) {
    const kinds = SETTINGS.flatMap((setting) =>
      LEARNERS.filter((learner) => learner !== 'PRIMO-Cal, distributional' || isCurved(environment, setting)).map(
        (learner) => ({ setting, learner, policy: policyOf(environment, setting, learner) }),
      ),
    )
    const rows = await runRows(
      {
        scenarios: [scenarioFromName(environment)],
        policies: kinds.map(({ policy }) => policy),
        rounds: rounds.at(-1)!,
        repeats: size.repeats,
        seed: options.seed,
      },
      { ...options, onProgress: (share) => options.onProgress?.((index + share) / ENVIRONMENTS.length) },
    )
    for (const { setting, learner, policy } of kinds) {
      const runs = rows.filter((row) => row.policy === policy.name)
      const at = (run: RunRow) => rounds.map((end) => run.checkpoints.find((one) => one.rounds === end)!)
      curves.push({
        environment,
        setting,
        learner,
        rounds,
        regret: runs.map((run) => at(run).map(({ regret }) => regret)),
        floor: runs.map((run) => at(run).map(({ floor }) => floor!)),
      })
    }
  }
  return curves
}
