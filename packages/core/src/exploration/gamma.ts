// gamma_s, the exploration parameter of an epoch, in units of the mean reward's range.
//   practical: c sqrt(K n / dim), n rows fitted, dim reward parameters (method#gamma).   fixed: a constant.
//   theory: sqrt(K) / (2 Gamma_s) of Theorem 2, or of Theorem 4 when there is calibration (method#theorems); nearly uniform play at
//   any realistic horizon (erratum E39), hence a report and an option, never the default.
// Epoch 1 has no data and plays uniformly whatever the schedule (method#epochs).

import { entryOf, invalidOption, requireAtLeast, requireOptions } from '@primo/numeric'
import { type GammaSettings, THEORY_CONSTANTS, type TheoryConstants, theoryGamma } from './theory-gamma.js'

export type GammaSchedule =
  | { readonly kind: 'practical'; readonly c: number }
  | { readonly kind: 'fixed'; readonly value: number }
  | ({ readonly kind: 'theory'; readonly formulas: 'printed' | 'corrected' } & TheoryConstants)

/** A name for the usual settings, a number for `fixed`, or the schedule with some fields left out. */
export type GammaOption =
  | 'practical'
  | 'theory'
  | number
  | { readonly kind: 'practical'; readonly c?: number }
  | { readonly kind: 'fixed'; readonly value: number }
  | ({ readonly kind: 'theory'; readonly formulas?: 'printed' | 'corrected' } & TheoryConstants)

const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  practical: ['kind', 'c'],
  fixed: ['kind', 'value'],
  theory: ['kind', 'formulas', ...THEORY_CONSTANTS],
}

export function gammaSchedule(option: GammaOption): GammaSchedule {
  const given =
    typeof option === 'string'
      ? { kind: option }
      : typeof option === 'number'
        ? { kind: 'fixed' as const, value: option }
        : option
  requireOptions('gamma', given, entryOf(OPTIONS, given?.kind) ?? ['kind'])
  switch (given.kind) {
    case 'practical': {
      const c = ('c' in given ? given.c : undefined) ?? 10
      requireAtLeast('gamma.c', c, 0)
      return { kind: 'practical', c }
    }
    case 'fixed':
      requireAtLeast('gamma', given.value, 0)
      return { kind: 'fixed', value: given.value }
    case 'theory': {
      const formulas = ('formulas' in given ? given.formulas : undefined) ?? 'printed'
      if (formulas !== 'printed' && formulas !== 'corrected')
        invalidOption('gamma.formulas', '"printed" or "corrected"', formulas)
      return { ...given, kind: 'theory', formulas }
    }
    default:
      return invalidOption(
        'gamma',
        '"practical", "theory", a number or { kind, ... }',
        (given as { kind?: unknown }).kind,
      )
  }
}

export interface GammaInput {
  /** The epoch that begins, s >= 2. */
  readonly epoch: number
  /** Rows that its reward model was fitted on, and those of the fit before. */
  readonly rows: number
  readonly rowsBefore: number
  /** Residual standard deviation and degrees of freedom of the reward model. */
  readonly sigma: number
  readonly degreesOfFreedom: number
}

/** The number of reward parameters; of a class that has no number, its effective dimension where that is larger. */
function dimensionOf({ oracle }: GammaSettings, { degreesOfFreedom }: GammaInput): number {
  return Math.max(oracle.dimension, degreesOfFreedom)
}

/** `settings`: an engine, or as much of it. */
export function gammaOf(settings: GammaSettings & { readonly gamma: GammaSchedule }, input: GammaInput): number {
  const { gamma } = settings
  switch (gamma.kind) {
    case 'practical':
      return gamma.c * Math.sqrt((settings.encoding.actions.length * input.rows) / dimensionOf(settings, input))
    case 'fixed':
      return gamma.value
    case 'theory':
      return theoryGamma(settings, gamma, input)
  }
}
