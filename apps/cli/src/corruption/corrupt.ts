// What disks do to files: bits that turn, pages of zeros, files that end early, pages in each other's place.

import { readFileSync, writeFileSync } from 'node:fs'
import type { Random } from '@primo/numeric'

export const KINDS = ['bits', 'zeros', 'cut', 'swap'] as const

export type Kind = (typeof KINDS)[number]

const PAGE = 8192
/** A frame of the log: its head, then a page; the log has a head of its own. */
const FRAME = PAGE + 24
const LOG_HEAD = 32

/** Says what it did. */
export function corrupt(path: string, kind: Kind, isLog: boolean, random: Random): string {
  const bytes = readFileSync(path)
  const size = isLog ? FRAME : PAGE
  const first = isLog ? LOG_HEAD : 0
  const pages = Math.floor((bytes.length - first) / size)
  const page = () => first + size * random.integer(pages)
  if (kind === 'bits') {
    const places = Array.from({ length: 1 + random.integer(8) }, () => random.integer(bytes.length * 8))
    for (const place of places) bytes[place >> 3]! ^= 1 << (place & 7)
    writeFileSync(path, bytes)
    return `bits ${places.join(' ')}`
  }
  if (kind === 'zeros') {
    const at = page()
    bytes.fill(0, at, at + size)
    writeFileSync(path, bytes)
    return `zeros at ${at}`
  }
  if (kind === 'swap') {
    const [one, other] = [page(), page()]
    const kept = Buffer.from(bytes.subarray(one, one + size))
    bytes.copy(bytes, one, other, other + size)
    kept.copy(bytes, other)
    writeFileSync(path, bytes)
    return `pages at ${one} and ${other}`
  }
  const end = random.integer(bytes.length)
  writeFileSync(path, bytes.subarray(0, end))
  return `cut at ${end} of ${bytes.length}`
}
