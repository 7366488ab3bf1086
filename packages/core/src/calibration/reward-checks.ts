// What the guards remember of a covariate, and what they report with the evidence.

export interface GuardState {
  /** Rows learnt from when rewards were last asked. */
  readonly testedRows: number
  /** Rejections in a row. */
  readonly rejections: number
  /** Rewards inform the calibration: the last two tests rejected, or the last one clearly, and it predicts rewards that it was not fitted to better. */
  readonly informed: boolean
  /** g~ predicted the rewards of missing rows better than g-hat when they were last compared. */
  readonly fallback: boolean
  /** What is added to the correction because rewards exclude it as it is (method#missing-set), inside units; absent: nothing. */
  readonly shift?: number
}

export interface GuardReport {
  /** Which model of the covariate is in use. */
  readonly use: 'calibrated' | 'pretrained' | 'reward-informed'
  /** Missing rows behind the comparison. */
  readonly missing: number
  /** Mean squared reward residual on missing rows: with g~, with g-hat, with the reward-informed model (on rows it was not fitted to); null: not compared. */
  readonly losses: { readonly pretrained: number; readonly calibrated: number; readonly informed: number | null } | null
  /** How clearly seen values ask for the change that rewards would make (reward-placebo.ts), a normal deviate; absent: none was tried. */
  readonly placebo?: number
  /** The test for missing at random, when it was made at this end. */
  readonly test: {
    readonly statistic: number
    readonly rejected: boolean
    readonly information: number
    /** How clearly observed rows need squares or products that the reward class lacks: a normal deviate. Absent: not looked at. */
    readonly lackOfFit?: number
  } | null
}
