// A policy to compare, as data: how the engine is set up and what of the world it sees. Everything that decides in the lab
// is one of these, so that any exploration rule runs on any imputation.

import type { EngineOptions } from '@primo/core'

/** 'truth': the oracle that sees z; 'none': the covariates are hidden altogether; 'world': what is observed. */
export type Sees = 'world' | 'truth' | 'none'

export type PolicySpec =
  | { readonly name: string; readonly kind: 'engine'; readonly options: EngineOptions; readonly sees: Sees }
  /** Ridge regression updated in every round, inverse gap weighting with gamma = scale sqrt(n); epochs only for imputation. */
  | {
      readonly name: string
      readonly kind: 'squarecb'
      readonly scale: number
      readonly options: EngineOptions
      readonly sees: Sees
    }
  | { readonly name: string; readonly kind: 'uniform' }
  /** The one action with the largest mean reward over these very rounds. */
  | { readonly name: string; readonly kind: 'best-fixed-action' }
