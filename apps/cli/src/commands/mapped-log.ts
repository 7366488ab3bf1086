// A decision log, or a table that --map makes one.

import { importLog, type LogFile, type LogMapping, openLog } from '@primo/lab/log'
import { readJson } from '../json-file.js'

/** `adapt` may complete the mapping. */
export async function mappedLog(
  file: string,
  map: string | undefined,
  adapt: (mapping: LogMapping) => LogMapping = (mapping) => mapping,
): Promise<LogFile> {
  return map === undefined ? openLog(file) : importLog(file, adapt(readJson<LogMapping>('--map', map)))
}
