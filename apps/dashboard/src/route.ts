// Where the page is, from the address after the #.

export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'problem'; readonly problem: string }
  | { readonly view: 'explorer'; readonly problem: string; readonly id: string | null }
  | { readonly view: 'unknown' }

export function routeOf(hash: string): Route {
  const parts = hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  const [top, problem, what, id, ...rest] = parts
  if (top === undefined) return { view: 'overview' }
  if (top !== 'problems' || problem === undefined || rest.length > 0) return { view: 'unknown' }
  if (what === undefined) return { view: 'problem', problem }
  return what === 'decisions' ? { view: 'explorer', problem, id: id ?? null } : { view: 'unknown' }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
