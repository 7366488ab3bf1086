// What an operator should look at, as sentences with what to do.

import type { ProblemSummary } from '@primo/contract'
import { percent, whole } from '../../charts/number-format.js'
import type { Verdict } from './verdict.js'

export interface Attention {
  readonly says: string
  readonly todo: string
  /** The tab where more is said. */
  readonly tab: 'operate' | 'data' | 'overview'
}

const FAILING_SHARE = 0.05
const CLIPPED_SHARE = 0.01
const LOST_SHARE = 0.2
const FEWEST = 100

export function attentionTo(summary: ProblemSummary, { tone }: Pick<Verdict, 'tone'>): readonly Attention[] {
  const { warnings, learning, covariates, clipped, decisions, dropped, expired } = summary
  const found: Attention[] = warnings.map((says) => ({
    says: `${says.charAt(0).toUpperCase()}${says.slice(1)}.`,
    todo: says.includes('clock') ? 'Set the clock of the machine, or confirm it.' : '',
    tab: 'operate',
  }))
  if (learning.lastFailure !== null)
    found.push({
      says: `The last attempt to learn failed: ${learning.lastFailure}.`,
      todo: 'Decisions go on with the policy before. Look at the log of the service; it tries again by itself.',
      tab: 'operate',
    })
  if (tone === 'bad')
    found.push({
      says: 'Primo earns less than doing without it would.',
      todo: 'Play the baseline meanwhile, and look under Evaluate for a policy that earns more.',
      tab: 'overview',
    })
  for (const [name, { failureShare, failures, missing }] of Object.entries(covariates)) {
    if (failureShare === null || failureShare <= FAILING_SHARE || missing < FEWEST) continue
    const why = Object.entries(failures).sort(([, a], [, b]) => b - a)[0]?.[0]
    found.push({
      says: `The model of ${name} gave no value for ${percent(failureShare)} of the missing ones${why === undefined ? '' : ` (${why})`}.`,
      todo: 'Check that it can be reached and that its inputs are sent; until then a fallback is used.',
      tab: 'data',
    })
  }
  const outside = Object.entries(clipped).filter(([, count]) => count > CLIPPED_SHARE * decisions)
  for (const [name, count] of outside)
    found.push({
      says: `${whole(count)} values of ${name} were outside its range and were replaced by its nearer end.`,
      todo: `Widen the range of ${name} in the definition; what was learnt is kept.`,
      tab: 'data',
    })
  if (decisions >= FEWEST && dropped + expired > LOST_SHARE * decisions)
    found.push({
      says: `${percent((dropped + expired) / decisions)} of the decisions never got a reward.`,
      todo: 'Report rewards with the decision id, and within the window of the definition.',
      tab: 'data',
    })
  return found
}
