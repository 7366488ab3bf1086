// The gain that knowing the missing values would have brought, as predicted when deciding. Heading, curve and table
// all come from these sums.

import type { History, HistoryBucket } from '@primo/contract'
import { type Point, withGaps } from '../../charts/series.js'
import { groupedBuckets } from '../problem/grouped-buckets.js'

export interface CostOfMissing {
  /** Reward per 1,000 decisions, over everything that is shown; null: no missing value was judged. */
  readonly mean: number | null
  readonly points: readonly Point[]
  /** Share of the missing values whose knowledge could make another action the best one. */
  readonly changing: number | null
  /** Reward that knowing one missing value would gain, on average. */
  readonly ofOne: Readonly<Record<string, number>>
}

export function costOfMissing({ buckets, width }: Pick<History, 'buckets' | 'width'>): CostOfMissing {
  const { groups, width: wide } = groupedBuckets(buckets, width)
  const all = worthOf(buckets)
  const names = [...new Set(buckets.flatMap(({ covariates }) => Object.keys(covariates)))]
  const each = names.map((name) => [name, worthOf(buckets, name)] as const)
  return {
    mean: perThousand(all),
    points: withGaps(
      groups.map((group) => ({ x: group.time, y: perThousand(worthOf(group.buckets)) })),
      wide,
    ),
    changing: all.count === 0 ? null : all.positive / all.count,
    ofOne: Object.fromEntries(each.flatMap(([name, { count, sum }]) => (count === 0 ? [] : [[name, sum / count]]))),
  }
}

function worthOf(buckets: readonly HistoryBucket[], name?: string) {
  const total = { decisions: 0, count: 0, sum: 0, positive: 0 }
  for (const { decisions, covariates } of buckets) {
    total.decisions += decisions
    for (const [covariate, { observing }] of Object.entries(covariates)) {
      if (name !== undefined && covariate !== name) continue
      total.count += observing.count
      total.sum += observing.sum
      total.positive += observing.positive
    }
  }
  return total
}

function perThousand({ decisions, count, sum }: ReturnType<typeof worthOf>): number | null {
  return count === 0 ? null : (1000 * sum) / decisions
}
