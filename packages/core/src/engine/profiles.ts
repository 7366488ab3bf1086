// Profiles name whole configurations; a profile is data and every field can be overridden.
//   robust (the default): beyond the paper, no proof (method#default-model): one hierarchical model, one rule, one memory; nothing to tune.
//   primo: Alg.1.   primo-cal: Alg.3. Both as printed, except that gamma is 'practical' with c = 10 (the printed schedule is
//   gamma: 'theory') and that a ridge keeps fits on few rows finite.

import type { CalibrationOptions } from '../calibration/settings.js'
import type { BuiltInExploration } from '../exploration/built-in-rules.js'
import type { ExplorationOption } from '../exploration/exploration-rule.js'
import type { GammaOption } from '../exploration/gamma.js'
import type { ClassOracleOptions, OwnOracleOptions } from '../oracle/class-oracle.js'
import type { LinearOptions } from '../oracle/linear.js'
import type { Schedule } from './schedule.js'

/** How a learner learns and explores. Each option overrides one of its profile. */
export interface LearningOptions {
  /** When epochs end. */
  readonly schedule?: Schedule
  /** Which rounds a fit uses: those of the epoch that ended, all, or the newest ones. */
  readonly window?: Window
  /** Function class of the reward model: a built-in one or one of your own. */
  readonly oracle?: LinearOptions | ClassOracleOptions | OwnOracleOptions
  /** Calibration of the pre-trained models; false: none (Alg.1). */
  readonly calibration?: CalibrationOptions | false
  readonly gamma?: GammaOption
  /** No eligible action gets a smaller propensity than this; at most 1/K. Default 0. */
  readonly minimumPropensity?: number
  /** How scores become propensities: a built-in rule or one of your own. */
  readonly exploration?: ExplorationOption
  /** What fills a missing value: the (calibrated) model, the mean of the observed values so far, or zero. Default 'model'. */
  readonly imputation?: 'model' | 'mean' | 'zero'
  /** Rounds that the reward model is fitted on: all, or only those with nothing missing. Default 'all'. */
  readonly rows?: 'all' | 'complete'
  /** Fill missing values of earlier rounds anew before each reward fit; default false: as the decision used them. */
  readonly refresh?: boolean
  /** What a missing value stands for in the reward model: its imputation ('plugin'), or its distribution around it. */
  readonly missing?: 'plugin' | 'distribution'
  /** What is done about rewards that never came; default: their rounds are left out. */
  readonly rewards?: MissingRewardOptions
  /** Of the default: which rounds its models remember. 'chosen': as many as predict best; 'all'. */
  readonly memory?: 'chosen' | 'all' | null
}

/** What is done about rounds whose window closed without a reward. */
export interface MissingRewardOptions {
  /** 'weight': rounds with a reward count 1 / P(it is seen | context, action) in reward fits (beyond the paper). Default 'drop'. */
  readonly missing?: 'drop' | 'weight'
  /** The smallest such probability; in (0, 1], default 0.05. */
  readonly floor?: number
}

export type Window = 'last' | 'all' | { readonly rounds: number }

/** The paper's two algorithms, and the default beyond the paper. */
export type ProfileName = 'primo' | 'primo-cal' | 'robust'

type Profile = Required<Omit<LearningOptions, 'exploration' | 'oracle' | 'rewards'>> & {
  readonly exploration: BuiltInExploration
  readonly oracle: LinearOptions | ClassOracleOptions
}

/** What both algorithms of the paper share: everything but calibration. */
const paper: Profile = {
  schedule: { kind: 'doubling' },
  window: 'last',
  oracle: { kind: 'linear' },
  calibration: false,
  gamma: { kind: 'practical', c: 10 },
  minimumPropensity: 0,
  exploration: { kind: 'inverse-gap-weighting' },
  imputation: 'model',
  rows: 'all',
  refresh: false,
  missing: 'plugin',
  memory: null,
}

/** The options that each profile stands for. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  primo: paper,
  'primo-cal': { ...paper, calibration: { class: 'linear', split: 'half', weights: 'ipw' } },
  robust: {
    schedule: { kind: 'growth', factor: 1.05, counted: 'closed' },
    window: 'all',
    oracle: { kind: 'linear', clip: { min: -0.5, max: 1.5 } },
    calibration: { class: 'linear', split: 'swap', weights: 'none', observation: { loss: 'likelihood' } },
    gamma: { kind: 'practical', c: 10 },
    minimumPropensity: 0,
    exploration: { kind: 'default' },
    imputation: 'model',
    rows: 'all',
    refresh: true,
    missing: 'distribution',
    memory: 'chosen',
  },
}

export const defaultProfile: ProfileName = 'robust'
