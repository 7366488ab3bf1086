// References in place of the schemas that have a name, and an example beside each that has one.

import { examples } from '@primo/contract'

interface Document {
  readonly components?: { readonly schemas?: object }
}

/** The document with every schema that equals a named one replaced by a reference to it. */
export function nameSchemas<D extends Document>(document: D): D {
  const schemas = Object.entries(document.components?.schemas ?? {})
  const names = new Map(schemas.map(([name, schema]) => [JSON.stringify(schema), name]))
  const within = (value: object): object =>
    Array.isArray(value)
      ? value.map(named)
      : Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, named(inner)]))
  function named(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    const name = names.get(JSON.stringify(value))
    return name === undefined ? within(value) : { $ref: `#/components/schemas/${name}` }
  }
  const described = schemas.map(([name, schema]) => [name, { ...within(schema), ...exampleOf(name) }])
  const components = { ...document.components, schemas: Object.fromEntries(described) }
  return { ...(within({ ...document, components: {} }) as D), components }
}

function exampleOf(name: string): { readonly examples?: readonly unknown[] } {
  return name in examples ? { examples: [examples[name as keyof typeof examples]] } : {}
}
