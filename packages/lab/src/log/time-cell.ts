// A time as a log has it, from milliseconds or from a text such as 2024-05-01T10:00:00.5Z or 2019-11-24 00:00:14.877041+00:00.

import { tableError } from '../tables/table-error.js'
import type { LogCell } from './log-columns.js'

/** Milliseconds since 1970 UTC; a text without a zone is in UTC. */
export function timeCell(file: string, column: string, cell: LogCell, row: number): LogCell {
  if (typeof cell !== 'string') return cell
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?$/.exec(cell.trim())
  // Dates have three digits after the second.
  const time =
    parts === null
      ? Number.NaN
      : Date.parse(`${parts[1]}T${parts[2]!.replace(/(\.\d{3})\d+$/, '$1')}${parts[3] ?? 'Z'}`)
  if (Number.isNaN(time)) throw tableError('table-wrong-type', file, 'must be a time', { row, column, value: cell })
  return time
}
