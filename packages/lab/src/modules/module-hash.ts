// A hash of a file and of the files that it imports by relative paths: what the code does, apart from installed packages.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { PrimoError } from '@primo/numeric'

const RELATIVE_IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g

/** Sixteen hexadecimal digits; the same wherever the files lie. */
export function moduleHash(path: string): string {
  const hash = createHash('sha256')
  const seen = new Set<string>()
  const add = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    const text = textOf(file)
    hash.update(`${text.length}\n${text}`)
    for (const [, specifier] of text.matchAll(RELATIVE_IMPORT)) add(resolve(dirname(file), specifier!))
  }
  add(resolve(path))
  return hash.digest('hex').slice(0, 16)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new PrimoError('invalid-option', `a module must be a file that can be read, got "${file}"`, { value: file })
  }
}
