// Weighted number, mean and variance of all rewards, from the sums of all actions; the mean of nothing is the middle of [0, 1].

import type { Sums } from '@primo/numeric'
import { targetSquare } from '@primo/numeric'

export function pooledRewards(sums: readonly Sums[]): {
  readonly weight: number
  readonly mean: number
  readonly variance: number
} {
  let weight = 0
  let total = 0
  for (const sum of sums) {
    weight += sum.weight
    total += sum.gram[sum.columns]!
  }
  const mean = weight > 0 ? total / weight : 0.5
  let square = 0
  for (const sum of sums) square += targetSquare(sum, mean)
  return { weight, mean, variance: weight > 0 ? square / weight : 0.25 }
}
