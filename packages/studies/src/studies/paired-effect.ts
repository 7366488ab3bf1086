// The difference of two policies on the same worlds: mean, 95% interval (Student's t over worlds), and its share of the other's
// regret.

import { studentInterval, summarise } from '@primo/lab'

export interface PairedEffect {
  /** Mean of one - other. */
  readonly mean: number
  readonly low: number
  readonly high: number
  /** The mean as a share of the other's mean. */
  readonly share: number
  /** Worlds in which `one` is smaller. */
  readonly smaller: number
  readonly worlds: number
}

export function pairedEffect(one: readonly number[], other: readonly number[]): PairedEffect {
  const differences = one.map((value, i) => value - other[i]!)
  const summary = summarise(differences)
  const [low, high] = studentInterval(summary) ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  return {
    mean: summary.mean,
    low,
    high,
    share: summary.mean / summarise(other).mean,
    smaller: differences.filter((value) => value < 0).length,
    worlds: differences.length,
  }
}

/** '-120 [-140, -100]'. */
export function effectText({ mean, low, high }: PairedEffect): string {
  return `${signed(mean)} [${signed(low)}, ${signed(high)}]`
}

export function shareText({ share }: PairedEffect): string {
  return `${share >= 0 ? '+' : ''}${(100 * share).toFixed(1)}%`
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(Math.abs(value) < 10 ? 1 : 0)}`
}
