// A copy of plain data that nobody else holds and nobody can change. Functions are kept as they are.

export function frozenCopy<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, frozenCopy(inner)]))
  return Object.freeze(copy) as T
}
