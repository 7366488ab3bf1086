// JSON with sorted keys: equal values give equal text. Definitions may hold tables of many thousand rows, so both
// functions must be fast.

export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  // Without a prototype, "__proto__" is a name like others.
  const copy: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(value).sort()) copy[name] = sorted((value as Readonly<Record<string, unknown>>)[name])
  return copy
}

/** Whether two values have the same canonical JSON, without writing it. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (
    typeof a !== 'object' ||
    typeof b !== 'object' ||
    a === null ||
    b === null ||
    Array.isArray(a) !== Array.isArray(b)
  )
    return canonicalJson(a) === canonicalJson(b)
  if (Array.isArray(a) && a.length !== (b as readonly unknown[]).length) return false
  for (const name in a) if (!sameJson(own(a, name), own(b, name))) return false
  for (const name in b) if (own(b, name) !== undefined && own(a, name) === undefined) return false
  return true
}

/** Names such as "constructor" are not taken from the prototype. */
function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}
