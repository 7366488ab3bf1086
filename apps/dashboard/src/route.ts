// Where the page is, from the path of the address.

export const tabs = ['overview', 'learning', 'data', 'decisions', 'evaluate', 'operate'] as const
export type Tab = (typeof tabs)[number]

/** Beside the tabs: the problem's definition to be changed, and a decision to be tried. */
export type Place = Tab | 'try' | 'edit'

export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'new' }
  | { readonly view: 'problem'; readonly problem: string; readonly place: Place; readonly id: string | null }
  | { readonly view: 'unknown' }

export function routeOf(path: string): Route {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decoded)
  const [top, problem, what = 'overview', id, ...rest] = parts
  if (top === undefined) return { view: 'overview' }
  if (top === 'new' && problem === undefined) return { view: top }
  if (top !== 'problems' || problem === undefined || rest.length > 0) return { view: 'unknown' }
  if (!isPlace(what) || (id !== undefined && what !== 'decisions')) return { view: 'unknown' }
  return { view: 'problem', problem, place: what, id: id ?? null }
}

export function isTab(name: string): name is Tab {
  return (tabs as readonly string[]).includes(name)
}

function isPlace(name: string): name is Place {
  return isTab(name) || name === 'try' || name === 'edit'
}

/** The address of a problem, or of a part of it. */
export function problemHref(problem: string, place: Place = 'overview', id?: string): string {
  const parts = ['', 'problems', problem, ...(place === 'overview' ? [] : [place]), ...(id === undefined ? [] : [id])]
  return `#${parts.map(encodeURIComponent).join('/')}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
