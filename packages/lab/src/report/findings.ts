// What a run shows, in sentences computed from its numbers.

import type { PairedComparison } from './comparison.js'
import { formatEstimate, formatFixed } from './number-format.js'
import { isBenchmark, type PolicySummary, type ScenarioSummary } from './summary.js'

/** At most `limit` (default 4) sentences, the most telling first. */
export function findings(scenario: ScenarioSummary, options: { readonly limit?: number } = {}): readonly string[] {
  const { limit = 4 } = options
  const contenders = scenario.policies.filter(({ policy }) => !isBenchmark(policy))
  const best = contenders[0]
  const told = scenario.comparisons.filter(({ policy }) => contenders.some((other) => other.policy === policy))
  const sentences = told.map((comparison) => comparisonSentence(scenario.scenario, comparison))
  if (best !== undefined && contenders.length > 1 && best.policy === scenario.reference) {
    const what = scenario.measure === 'regret' ? 'the least regret' : 'the most reward'
    const amount = formatEstimate(scenario.measure === 'regret' ? best.regret! : best.reward)
    sentences.unshift(`${best.policy} has ${what} on ${scenario.scenario}: ${amount}.`)
  }
  const floor = best === undefined ? null : floorSentence(scenario, best)
  return floor === null ? sentences.slice(0, limit) : [...sentences.slice(0, limit - 1), floor]
}

function comparisonSentence(scenario: string, comparison: PairedComparison): string {
  const { policy, reference, measure, pairs, difference, standardError, interval, ratio } = comparison
  const amount = `${formatEstimate({ mean: Math.abs(difference), standardError })} ${measure}`
  if (standardError === null) {
    return difference === 0
      ? `${policy} has the same ${measure} as ${reference} on ${scenario} (one seed).`
      : `${policy} has ${amount} ${difference < 0 ? 'less' : 'more'} than ${reference} on ${scenario} (one seed, so without an error).`
  }
  if (interval === null || (interval[0] <= 0 && interval[1] >= 0)) {
    const signed = formatEstimate({ mean: difference, standardError })
    return `${policy} and ${reference} cannot be told apart on ${scenario}: difference ${signed} ${measure} over ${pairs} seeds.`
  }
  const share = ratio === null ? '' : ` (${formatFixed(100 * Math.abs(1 - ratio), Math.abs(1 - ratio) < 0.1 ? 1 : 0)}%)`
  const better = measure === 'regret' ? difference < 0 : difference > 0
  return `${policy} ${better ? 'beats' : 'loses to'} ${reference} by ${amount}${share} on ${scenario}.`
}

function floorSentence({ scenario, floor }: ScenarioSummary, best: PolicySummary): string | null {
  if (floor === null || best.excess === null || floor.mean <= 0) return null
  const above = best.excess.mean >= 0 ? 'above' : 'below'
  const excess = formatEstimate({ ...best.excess, mean: Math.abs(best.excess.mean) })
  return `On ${scenario} a regret of ${formatEstimate(floor)} is unavoidable without seeing the missing values; ${best.policy} ends ${excess} ${above} it.`
}
