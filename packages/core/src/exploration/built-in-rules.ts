// The exploration rules that come with Primo, by kind: what can be set and how each is compiled.

import { invalidOption, requireAtLeast, requireFinite, requirePositive } from '@primo/numeric'
import type { CodeOptions } from '../problem/own-code.js'
import { defaultRule } from './default-rule.js'
import type { ExplorationRule } from './exploration-rule.js'
import { epsilonGreedy } from './greedy.js'
import { inverseGapWeighting } from './inverse-gap-weighting.js'
import { upperConfidence } from './linucb.js'
import { probabilityMatching } from './probability-matching.js'

interface Matching {
  readonly spread?: number
  readonly optimism?: number
  readonly floor?: number
}

/** A rule that is built in, with its options. */
export type BuiltInExploration =
  /** The paper's rule; its sharpness is the option `gamma`. */
  | { readonly kind: 'inverse-gap-weighting' }
  | { readonly kind: 'greedy' }
  | { readonly kind: 'epsilon-greedy'; readonly epsilon: number }
  /** alpha in standard deviations of the prediction. */
  | { readonly kind: 'linucb'; readonly alpha: number }
  /** Linear Thompson sampling with exact propensities; spread multiplies the posterior's standard deviation. */
  | { readonly kind: 'lints'; readonly spread: number }
  /** Probability matching with a floor (method#probability-matching): spread and optimism in widths, default .8 and .3; floor default .1. */
  | ({ readonly kind: 'probability-matching' } & Matching)
  /** The default's rule: optimism, and a share for whatever the evidence leaves open (method#default-rule; beyond the paper, no proof). */
  | { readonly kind: 'default' }

/** A rule whose options stand beside its kind. */
interface BuiltInRule<Options> extends Omit<ExplorationRule<Options>, 'kind' | 'version' | 'options'> {
  readonly fields: readonly string[]
}

type OptionsOf<Kind> = Omit<Extract<BuiltInExploration, { kind: Kind }>, 'kind'>

type BuiltInRules = { readonly [Kind in BuiltInExploration['kind']]: BuiltInRule<OptionsOf<Kind>> }

const rules: BuiltInRules = {
  default: {
    fields: [],
    usesWidths: true,
    compile: ({ actions, fitted }) => defaultRule(actions, fitted),
  },
  'inverse-gap-weighting': {
    fields: [],
    compile:
      ({ gamma }) =>
      (scores, _widths, count, out, at) =>
        inverseGapWeighting(scores, count, gamma, out, at),
  },
  'probability-matching': {
    fields: ['spread', 'optimism', 'floor'],
    usesWidths: true,
    check: ({ spread, optimism, floor }) => atLeastZero({ spread, optimism, floor }),
    compile: ({ actions, gamma, options: { spread = 0.8, optimism = 0.3, floor = 0.1 } }) =>
      probabilityMatching(actions, { spread, optimism, floor, gamma }),
  },
  greedy: {
    fields: [],
    compile: () => (scores, _widths, count, out, at) => epsilonGreedy(scores, count, 0, out, at),
  },
  'epsilon-greedy': {
    fields: ['epsilon'],
    check: ({ epsilon }) => {
      requireFinite('exploration.epsilon', epsilon)
      if (epsilon < 0 || epsilon > 1) invalidOption('exploration.epsilon', 'between 0 and 1', epsilon)
    },
    compile:
      ({ options: { epsilon } }) =>
      (scores, _widths, count, out, at) =>
        epsilonGreedy(scores, count, epsilon, out, at),
  },
  linucb: {
    fields: ['alpha'],
    usesWidths: true,
    check: ({ alpha }) => requireAtLeast('exploration.alpha', alpha, 0),
    compile:
      ({ options: { alpha } }) =>
      (scores, widths, count, out, at) =>
        upperConfidence(scores, widths, count, alpha, out, at),
  },
  lints: {
    fields: ['spread'],
    usesWidths: true,
    check: ({ spread }) => requirePositive('exploration.spread', spread),
    compile: ({ actions, options: { spread } }) => probabilityMatching(actions, { spread, optimism: 0 }),
  },
}

/** By kind; the options of each were given as data and are checked by it. */
export const builtInRules = rules as unknown as Readonly<Record<BuiltInExploration['kind'], BuiltInRule<CodeOptions>>>

function atLeastZero(options: Readonly<Record<string, number | undefined>>): void {
  for (const [field, value] of Object.entries(options))
    if (value !== undefined) requireAtLeast(`exploration.${field}`, value, 0)
}
