// What the form of a try holds: where it begins, the request it makes, how the address says it.

import type { DecisionBody, FeatureValueType, ProblemDefinition } from '@primo/contract'

type Features = ProblemDefinition['context']
export type TriedFeature = Features[string] | ProblemDefinition['covariates'][string]

export interface TriedCovariate {
  readonly missing: boolean
  /** What it would be if it were not missing. */
  readonly value: FeatureValueType
  /** What the caller's model says of it, where the caller sends that. */
  readonly prediction?: FeatureValueType
}

export interface TryValues {
  readonly context: Readonly<Record<string, FeatureValueType>>
  readonly covariates: Readonly<Record<string, TriedCovariate>>
}

/** The middle of a range, the first level, no. */
function plainValue(feature: TriedFeature): FeatureValueType {
  if (feature.type === 'number') return Number(((feature.min + feature.max) / 2).toPrecision(4))
  return feature.type === 'boolean' ? false : feature.levels[0]!
}

export function initialValues({ context, covariates }: ProblemDefinition): TryValues {
  return {
    context: Object.fromEntries(Object.entries(context).map(([name, feature]) => [name, plainValue(feature)])),
    covariates: Object.fromEntries(
      Object.entries(covariates).map(([name, covariate]) => [
        name,
        {
          missing: true,
          value: plainValue(covariate),
          ...(covariate.imputer.kind === 'column' ? { prediction: plainValue(covariate) } : {}),
        },
      ]),
    ),
  }
}

/** What the address says, as far as it fits the problem. */
export function valuesFrom(text: string, definition: ProblemDefinition): TryValues {
  const plain = initialValues(definition)
  let given: Partial<TryValues> = {}
  try {
    given = (JSON.parse(text) ?? {}) as Partial<TryValues>
  } catch {
    return plain
  }
  const fitting = (feature: TriedFeature, value: unknown, otherwise: FeatureValueType) =>
    fits(feature, value) ? value : otherwise
  return {
    context: mapped(plain.context, (name, value) => fitting(definition.context[name]!, given.context?.[name], value)),
    covariates: mapped(plain.covariates, (name, before) => {
      const feature = definition.covariates[name]!
      const said = given.covariates?.[name]
      return {
        missing: said?.missing !== false,
        value: fitting(feature, said?.value, before.value),
        ...(before.prediction === undefined
          ? {}
          : { prediction: fitting(feature, said?.prediction, before.prediction) }),
      }
    }),
  }
}

export function fits(feature: TriedFeature, value: unknown): value is FeatureValueType {
  if (feature.type === 'number') return typeof value === 'number' && value >= feature.min && value <= feature.max
  if (feature.type === 'boolean') return typeof value === 'boolean'
  return typeof value === 'string' && (feature.levels as readonly string[]).includes(value)
}

function mapped<V>(from: Readonly<Record<string, V>>, to: (name: string, value: V) => V): Record<string, V> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, to(name, value)]))
}

/** As the API takes it. `known`: a covariate taken as observed with this value, whatever the form says. */
export function requestOf(
  { context, covariates }: TryValues,
  known?: { readonly name: string; readonly value: FeatureValueType },
): DecisionBody {
  const predictions = Object.entries(covariates).flatMap(([name, { prediction }]) =>
    prediction === undefined ? [] : [[name, prediction] as const],
  )
  return {
    context: { ...context },
    covariates: Object.fromEntries(
      Object.entries(covariates).map(([name, { missing, value }]) => [
        name,
        known?.name === name ? known.value : missing ? null : value,
      ]),
    ),
    ...(predictions.length === 0 ? {} : { predictions: Object.fromEntries(predictions) }),
  }
}

const POINTS = 21

/** Along the range of a covariate, or its levels. */
export function valuesAlong(feature: TriedFeature): readonly FeatureValueType[] {
  if (feature.type === 'boolean') return [false, true]
  if (feature.type === 'category') return feature.levels
  const { min, max } = feature
  return Array.from({ length: POINTS }, (_, k) => Number((min + ((max - min) * k) / (POINTS - 1)).toPrecision(6)))
}
