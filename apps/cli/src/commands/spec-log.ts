// A decision log, or a table of decisions whose columns a spec names.

import { importLog, type LogFile, openLog, type TableSpec, tableNotes } from '@primo/lab/log'
import { readSpec } from '../table-flags.js'

/** `check` may refuse the spec. */
export async function logOf(
  file: string,
  specFile: string | undefined,
  check: (spec: TableSpec) => void = () => undefined,
): Promise<Pick<LogFile, 'header' | 'rows'>> {
  if (specFile === undefined) return openLog(file)
  const spec = { context: [], ...readSpec(specFile) }
  check(spec)
  const log = await importLog(file, spec)
  for (const note of tableNotes(log.table, spec)) process.stderr.write(`${note}\n`)
  return log
}
