// Logs in the formats of others, as decision logs.

import { dsjsonLog } from './dsjson-log.js'
import { openBanditLog } from './open-bandit-log.js'
import type { LogFile } from './read-log.js'

/** A log in another's format, and what of it has no place in a decision log. */
export interface ConvertedLog extends LogFile {
  readonly lost: readonly string[]
}

/** The formats of others that can be read. */
export const foreignFormats = ['dsjson', 'obd'] as const

/** A format of others: VW's dsjson, or the Open Bandit data layout. */
export type ForeignFormat = (typeof foreignFormats)[number]

/** Opens a log in another's format; `items` is the file of all items, for Open Bandit data. */
export function convertLog(file: string, from: ForeignFormat, items?: string): Promise<ConvertedLog> {
  return from === 'dsjson' ? dsjsonLog(file) : openBanditLog(file, items)
}
