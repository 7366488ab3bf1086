// How much is missing, and whether that has moved: the newest tenth of the decisions against those before.

import type { HistoryBucket } from '@primo/contract'

export interface MissingShare {
  readonly share: number
  readonly decisions: number
}

export interface MissingDrift {
  readonly before: MissingShare
  readonly now: MissingShare
  /** Difference in standard errors. */
  readonly statistic: number
  readonly moved: boolean
}

const NEWEST_SHARE = 0.1
const FEWEST = 100
/** Two-sided 0.1%: people look often. */
const CRITICAL = 3.29

export function missingDrift(buckets: readonly HistoryBucket[], covariate: string): MissingDrift | null {
  const total = buckets.reduce((sum, { decisions }) => sum + decisions, 0)
  let now = { missing: 0, decisions: 0 }
  let at = buckets.length
  while (at > 0 && now.decisions < Math.max(FEWEST, NEWEST_SHARE * total)) {
    const { decisions, covariates } = buckets[--at]!
    now = { missing: now.missing + (covariates[covariate]?.missing ?? 0), decisions: now.decisions + decisions }
  }
  const before = buckets.slice(0, at).reduce(
    (sum, { decisions, covariates }) => ({
      missing: sum.missing + (covariates[covariate]?.missing ?? 0),
      decisions: sum.decisions + decisions,
    }),
    { missing: 0, decisions: 0 },
  )
  if (before.decisions < FEWEST || now.decisions < FEWEST) return null
  const pooled = (before.missing + now.missing) / (before.decisions + now.decisions)
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / before.decisions + 1 / now.decisions))
  const shares = { before: before.missing / before.decisions, now: now.missing / now.decisions }
  const statistic = error === 0 ? 0 : (shares.now - shares.before) / error
  return {
    before: { share: shares.before, decisions: before.decisions },
    now: { share: shares.now, decisions: now.decisions },
    statistic,
    moved: Math.abs(statistic) > CRITICAL,
  }
}
