// A JSON file that a flag names.

import { readFileSync } from 'node:fs'
import { UsageError } from './output.js'

/** What the file holds, unchecked. */
export function readJson<T>(flag: string, file: string): T {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch (error) {
    throw new UsageError(`${flag} must name a JSON file, got "${file}": ${(error as Error).message}`)
  }
}
