// Exploration rules as data, and their compiled form: scores (and widths) of the eligible actions in, propensities out.

import { invalidOption, requireAtLeast, requireOptions } from '@primo/numeric'
import { type EvidenceWeighing, type FittedNoise, type OptimismWithEvidence, optimismWithEvidence } from './evidence.js'
import { epsilonGreedy } from './greedy.js'
import { inverseGapWeighting } from './inverse-gap-weighting.js'
import { upperConfidence } from './linucb.js'
import { type PlausibleSet, plausibleSetWeighting } from './plausible-set.js'
import { probabilityMatching } from './probability-matching.js'

/** How scores become propensities. */
export type ExplorationRule =
  /** The paper's rule; its sharpness is the option `gamma`. */
  | { readonly kind: 'inverse-gap-weighting' }
  | { readonly kind: 'greedy' }
  | { readonly kind: 'epsilon-greedy'; readonly epsilon: number }
  /** alpha in standard deviations of the prediction. */
  | { readonly kind: 'linucb'; readonly alpha: number }
  /** Linear Thompson sampling with exact propensities; spread multiplies the posterior's standard deviation. */
  | { readonly kind: 'lints'; readonly spread: number }
  /** Probability matching with a floor (method#probability-matching): spread and optimism in widths, default .8 and .3; floor default .1. */
  | {
      readonly kind: 'probability-matching'
      readonly spread?: number
      readonly optimism?: number
      readonly floor?: number
    }
  /** Inverse gap weighting among the actions that are still plausible (method#plausible-set; beyond the paper, no proof). */
  | ({ readonly kind: 'plausible-set' } & PlausibleSet)
  /** Optimism, and a share for whatever the evidence leaves open (method#evidence; beyond the paper, no proof). */
  | ({ readonly kind: 'evidence' } & OptimismWithEvidence)

export interface CompiledRule {
  readonly usesWidths: boolean
  /** Scores, widths and propensities of the `count` actions begin at `at`, default 0; `eligible` says which they are, default all. */
  readonly weigh: EvidenceWeighing
}

const NOTHING_FITTED: FittedNoise = { sigma: 1, rows: [], weight: 0 }

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'epsilon-greedy': ['kind', 'epsilon'],
  evidence: ['kind', 'beta'],
  linucb: ['kind', 'alpha'],
  lints: ['kind', 'spread'],
  'plausible-set': ['kind', 'alpha', 'beta', 'delta'],
  'probability-matching': ['kind', 'spread', 'optimism', 'floor'],
}

export function checkRule(rule: ExplorationRule): void {
  requireOptions('exploration', rule, OPTIONS[rule?.kind] ?? ['kind'])
  switch (rule.kind) {
    case 'inverse-gap-weighting':
    case 'greedy':
      return
    case 'epsilon-greedy':
      if (!(rule.epsilon >= 0 && rule.epsilon <= 1))
        invalidOption('exploration.epsilon', 'between 0 and 1', rule.epsilon)
      return
    case 'linucb':
      requireAtLeast('exploration.alpha', rule.alpha, 0)
      return
    case 'evidence':
      if (rule.beta !== undefined) requireAtLeast('exploration.beta', rule.beta, 0)
      return
    case 'plausible-set':
      for (const field of ['alpha', 'beta', 'delta'] as const) {
        const value = rule[field]
        if (value !== undefined) requireAtLeast(`exploration.${field}`, value, 0)
      }
      return
    case 'probability-matching':
      for (const field of ['spread', 'optimism', 'floor'] as const) {
        const value = rule[field]
        if (value !== undefined) requireAtLeast(`exploration.${field}`, value, 0)
      }
      return
    case 'lints':
      if (!(rule.spread > 0 && Number.isFinite(rule.spread))) invalidOption('exploration.spread', '> 0', rule.spread)
      return
    default:
      invalidOption(
        'exploration.kind',
        '"evidence", "inverse-gap-weighting", "plausible-set", "probability-matching", "greedy", "epsilon-greedy", "linucb" or "lints"',
        (rule as { kind?: unknown }).kind,
      )
  }
}

/** `fitted`: the reward model whose scores are weighed. */
export function compileRule(
  rule: ExplorationRule,
  actions: number,
  gamma: number,
  fitted: FittedNoise = NOTHING_FITTED,
): CompiledRule {
  switch (rule.kind) {
    case 'inverse-gap-weighting':
      return {
        usesWidths: false,
        weigh: (scores, _widths, count, out, at) => inverseGapWeighting(scores, count, gamma, out, at),
      }
    case 'greedy':
      return { usesWidths: false, weigh: (scores, _widths, count, out, at) => epsilonGreedy(scores, count, 0, out, at) }
    case 'epsilon-greedy':
      return {
        usesWidths: false,
        weigh: (scores, _widths, count, out, at) => epsilonGreedy(scores, count, rule.epsilon, out, at),
      }
    case 'linucb':
      return {
        usesWidths: true,
        weigh: (scores, widths, count, out, at) => upperConfidence(scores, widths, count, rule.alpha, out, at),
      }
    case 'evidence':
      return { usesWidths: true, weigh: optimismWithEvidence(rule, actions, fitted) }
    case 'plausible-set':
      return {
        usesWidths: true,
        weigh: (scores, widths, count, out, at) => plausibleSetWeighting(scores, widths, count, gamma, rule, out, at),
      }
    case 'probability-matching': {
      const { spread = 0.8, optimism = 0.3, floor = 0.1 } = rule
      return { usesWidths: true, weigh: probabilityMatching(actions, { spread, optimism, floor, gamma }) }
    }
    case 'lints':
      return { usesWidths: true, weigh: probabilityMatching(actions, { spread: rule.spread, optimism: 0 }) }
  }
}
