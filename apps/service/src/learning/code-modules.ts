// Modules that the operator names at the start (--use): the rules and classes that they export. A thread loads the same files again and
// refuses others.

import type { Code } from '@primo/core'
import { importModule, moduleHash } from '@primo/lab/modules'

export interface CodeModule {
  readonly path: string
  readonly hash: string
}

/** The modules with their hashes. */
export function codeModules(paths: readonly string[]): readonly CodeModule[] {
  return paths.map((path) => ({ path, hash: moduleHash(path) }))
}

/** The rules and classes that modules export; throws where a file has changed or exports none. */
export async function loadCodeModules(modules: readonly CodeModule[]): Promise<readonly Code[]> {
  const all: Code[] = []
  for (const { path, hash } of modules) {
    if (moduleHash(path) !== hash)
      throw new Error(`"${path}" has changed since the service was started: start it again`)
    const found = Object.values(await importModule(path)).filter(isCode)
    if (found.length === 0) throw new Error(`"${path}" must export an exploration rule or a function class, got none`)
    all.push(...found)
  }
  return all
}

function isCode(value: unknown): value is Code {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Code>).compile === 'function'
}
