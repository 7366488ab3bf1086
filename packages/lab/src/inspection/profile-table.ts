// A look at a table that is a file.

import { readWholeTable } from '../tables/read-table.js'
import { formatOf, type ProfileOptions, profileRead, type TableProfile } from './profile-csv.js'

/** A look at a table: columns, missing values, suspicious ones, and a suggested spec. */
export function profileTable(file: string, options: ProfileOptions = {}): Promise<TableProfile> {
  return profileRead(file, (format) => readWholeTable(file, formatOf(format)), options)
}
