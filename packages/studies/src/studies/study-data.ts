// Where the tables of the real-data studies lie: the folder that PRIMO_DATA names, else ../shared/data beside the
// checkout. They are no part of this repository; a study whose table is not there says so and is passed over.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { csvRecords, fileText, isBlank } from '@primo/lab/node'

const checkout = fileURLToPath(new URL('../../../../', import.meta.url))

function dataFolder(): string {
  const named = process.env.PRIMO_DATA
  return named !== undefined && named !== '' ? named : join(checkout, '..', 'shared', 'data')
}

/** The file, or null when it is not there. */
export function dataFile(...path: readonly string[]): string | null {
  const file = join(dataFolder(), ...path)
  return existsSync(file) ? file : null
}

/** The first of the files that is not there; for `absent` of a study. */
export function firstAbsent(...files: readonly string[]): string | null {
  return files.find((file) => dataFile(file) === null) ?? null
}

/** The cells of a CSV file as texts without spaces around them, the header first. */
export function textRecords(file: string): string[][] {
  const records: string[][] = []
  for (const record of csvRecords(fileText(file))) {
    if (!isBlank(record)) records.push(record.cells.map((cell) => cell.trim()))
  }
  return records
}
