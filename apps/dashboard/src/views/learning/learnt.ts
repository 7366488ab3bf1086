// What the epochs' reports say, as the page reads them.

import type { Epochs } from '@primo/contract'
import type { EpochDiagnosis, EpochReport } from '@primo/core'

export interface LearntEpoch {
  readonly version: number
  readonly epoch: number
  readonly time: number
  readonly live: boolean
  readonly current: boolean
  /** What the end of the epoch says of itself. */
  readonly report: EpochReport | null
  readonly diagnosis: EpochDiagnosis | null
}

/** Of the newest version of the problem, oldest first. */
export function learntEpochs({ epochs }: Epochs): LearntEpoch[] {
  const version = Math.max(0, ...epochs.map(({ problemVersion }) => problemVersion))
  return epochs.map(({ version: policy, epoch, time, live, problemVersion, report }) => ({
    version: policy,
    epoch,
    time,
    live,
    current: problemVersion === version,
    ...storyOf(report),
  }))
}

function storyOf(story: unknown): Pick<LearntEpoch, 'report' | 'diagnosis'> {
  const report = (story ?? null) as (EpochReport & { readonly diagnosis?: EpochDiagnosis | null }) | null
  return { report, diagnosis: report?.diagnosis ?? null }
}

/** When each policy of the newest version began, for the rail of a chart. */
export function newPolicies(epochs: readonly LearntEpoch[]): { readonly x: number; readonly label: string }[] {
  return epochs
    .filter(({ current }) => current)
    .map(({ time, version }) => ({ x: time, label: `policy ${version} began` }))
}

/** The newest diagnosis there is. */
export function newestDiagnosis(epochs: readonly LearntEpoch[]): EpochDiagnosis | null {
  for (let i = epochs.length - 1; i >= 0; i--) {
    const { diagnosis, current } = epochs[i]!
    if (diagnosis !== null && current) return diagnosis
  }
  return null
}

export interface ErrorByEpoch {
  readonly rounds: number
  readonly pretrained: number
  readonly calibrated: number
  readonly pretrainedLimits: readonly [number, number]
  readonly calibratedLimits: readonly [number, number]
}

/** Root mean square errors of a covariate's models on all rows, in the covariate's units, with 95% limits, by epoch. */
export function errorsByEpoch(epochs: readonly LearntEpoch[], covariate: string): ErrorByEpoch[] {
  return epochs.flatMap(({ diagnosis, current }) => {
    const error = diagnosis?.covariates.find((one) => one.covariate === covariate)?.error
    if (!current || error == null) return []
    const { pretrained, calibrated } = error
    const before = pretrained.missing ?? pretrained.all
    const after = calibrated.missing ?? calibrated.all
    return [
      {
        rounds: diagnosis!.rounds,
        pretrained: root(before.estimate),
        calibrated: root(after.estimate),
        pretrainedLimits: [root(before.lower), root(before.upper)] as const,
        calibratedLimits: [root(after.lower), root(after.upper)] as const,
      },
    ]
  })
}

function root(square: number): number {
  return Math.sqrt(Math.max(0, square))
}
