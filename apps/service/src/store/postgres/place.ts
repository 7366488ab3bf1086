// Where a database is, without secrets.

export function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}
