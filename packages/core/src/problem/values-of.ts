// The types that a problem's declaration implies: the values of its features, and its actions.

import type { Feature, FeatureValue } from './feature.js'
import type { Problem } from './problem.js'

/** A value of one feature: a number, true or false, or one of the declared levels (any text where `other` is true). */
export type ValueOf<F extends Feature> = F extends { readonly type: 'number' }
  ? number
  : F extends { readonly type: 'boolean' }
    ? boolean
    : F extends { readonly levels: readonly (infer Level extends string)[]; readonly other?: infer Other }
      ? true extends (F extends { readonly other: unknown } ? Other : false)
        ? string
        : Level
      : FeatureValue

// The conditional makes editors show the values instead of this alias with a whole problem in it.
/** The value of each feature, by name: `{ age: number; smoker: boolean }`; one with a default may be left out. */
export type ValuesOf<Features extends Readonly<Record<string, Feature>>> = Features extends infer Own extends Readonly<
  Record<string, Feature>
>
  ? [WithDefault<Own>] extends [never]
    ? { readonly [Name in keyof Own]: ValueOf<Own[Name]> }
    : { readonly [Name in Exclude<keyof Own, WithDefault<Own>>]: ValueOf<Own[Name]> } & {
        readonly [Name in WithDefault<Own>]?: ValueOf<Own[Name]>
      }
  : never

/** Names of the features with a default. */
type WithDefault<Features> = {
  [Name in keyof Features]: Features[Name] extends { readonly default: unknown } ? Name : never
}[keyof Features]

/** Some of the names, each with a value of this type; any names where the names are not known. */
export type SomeOf<Names extends PropertyKey, Value> = string extends Names
  ? Readonly<Record<string, Value>>
  : { readonly [Name in Names]?: Value }

/** Some of the values, by name. */
export type SomeValues<Values> = string extends keyof Values
  ? Values
  : { readonly [Name in keyof Values]?: Values[Name] }

/** The context that a problem declares: what `decide` takes. */
export type ContextOf<P extends Problem> = ValuesOf<P['context']>

/** The covariates that a problem declares, as their true values. */
export type CovariatesOf<P extends Problem> = ValuesOf<P['covariates']>

/** The union of a problem's actions. */
export type ActionOf<P extends Problem> = P['actions'][number]
