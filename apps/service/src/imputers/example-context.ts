// A context that a problem allows, for trial calls.

import type { Context, Feature } from '@primo/core'

export function exampleContext(context: Readonly<Record<string, Feature>>): Context {
  return Object.fromEntries(Object.entries(context).map(([name, feature]) => [name, exampleOf(feature)]))
}

function exampleOf(feature: Feature): number | boolean | string {
  if (feature.default !== undefined) return feature.default
  if (feature.type === 'number') return (feature.min + feature.max) / 2
  return feature.type === 'boolean' ? false : feature.levels[0]!
}
