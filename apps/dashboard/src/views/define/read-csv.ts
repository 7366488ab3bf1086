// A CSV text in the browser: separator found from the first line, quotes as RFC 4180 has them. Rows as long as the header.

export interface CsvTable {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const SEPARATORS = [',', ';', '\t', '|'] as const

/** At most `most` rows. Throws a sentence where it is not a table. */
export function readCsv(text: string, most = 50_000): CsvTable {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  const first = body.slice(0, body.indexOf('\n') < 0 ? body.length : body.indexOf('\n'))
  const separator = SEPARATORS.reduce((best, one) => (first.split(one).length > first.split(best).length ? one : best))
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const endRow = () => {
    row.push(cell)
    cell = ''
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  for (let i = 0; i < body.length && rows.length <= most; i++) {
    const character = body[i]!
    if (quoted) {
      if (character !== '"') cell += character
      else if (body[i + 1] === '"') {
        cell += '"'
        i++
      } else quoted = false
    } else if (character === '"' && cell === '') quoted = true
    else if (character === separator) {
      row.push(cell)
      cell = ''
    } else if (character === '\n') endRow()
    else if (character !== '\r') cell += character
  }
  if (quoted) throw new Error('a quote is opened in this file and not closed')
  if ((cell !== '' || row.length > 0) && rows.length <= most) endRow()
  const [header, ...rest] = rows
  if (header === undefined || rest.length === 0) throw new Error('a table must have a header and at least one row')
  const wrong = rest.findIndex((one) => one.length !== header.length)
  if (wrong >= 0)
    throw new Error(
      `row ${wrong + 2} has ${rest[wrong]!.length} cells, the header has ${header.length}: is it a CSV file?`,
    )
  return { header: header.map((name) => name.trim()), rows: rest }
}
