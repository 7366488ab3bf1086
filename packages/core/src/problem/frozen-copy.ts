// A copy of plain data that nobody else holds and nobody can change. Functions are kept as they are.

export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) put(copy, key, frozenCopy((value as Readonly<Record<string, unknown>>)[key]))
  return Object.freeze(copy) as T
}

/** Plainly, but for the one name to which objects give a meaning. */
function put(copy: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') copy[key] = value
  else Object.defineProperty(copy, key, { value, enumerable: true })
}
