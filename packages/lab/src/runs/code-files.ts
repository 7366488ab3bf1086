// Files with environments and policies of users: which of their exports a run takes, and how a thread gets the same code again.

import type { Code } from '@primo/core'
import { PrimoError } from '@primo/numeric'
import { importModule } from '../modules/import-module.js'
import { moduleHash } from '../modules/module-hash.js'
import { isOnlinePolicy, type OnlinePolicy } from '../policies/online-policy.js'
import { checkPolicySpec, type PolicySpec } from '../policies/policy-spec.js'
import { type CodeLookup, type CodeRef, isCodeRef } from './code-ref.js'
import { isEnvironment, type RunSpec } from './run-spec.js'

/** Whether a name on the command line is a file of code. */
export function isCodeFile(text: string): boolean {
  return /\.m?[jt]s$/.test(text)
}

/** The environments that a file exports. */
export function environmentsIn(file: string): Promise<readonly CodeRef[]> {
  return exportsOf(file, 'an environment', (value) => (isEnvironment(value) ? value.name : undefined))
}

/** The policies that a file exports; an exploration rule or a function class counts as robust with it. */
export function policiesIn(file: string): Promise<readonly CodeRef[]> {
  return exportsOf(file, 'a policy', (value) => policyOf(value)?.name)
}

/** The policies themselves, for a run in this thread. */
export async function ownPolicies(file: string): Promise<readonly (PolicySpec | OnlinePolicy)[]> {
  const refs = await policiesIn(file)
  const exported = await importModule(file)
  return refs.map((ref) => policyOf(exported[ref.export])!)
}

async function exportsOf(
  file: string,
  what: string,
  nameOf: (value: unknown) => string | undefined,
): Promise<readonly CodeRef[]> {
  const hash = moduleHash(file)
  const found = Object.entries(await importModule(file)).flatMap(([name, value]): CodeRef[] => {
    const shown = nameOf(value)
    return shown === undefined ? [] : [{ kind: 'module', name: shown, file, export: name, hash }]
  })
  if (found.length === 0)
    throw new PrimoError('invalid-option', `a module must export ${what}, got none from "${file}"`, { value: file })
  return found
}

/** What an export means as a policy; undefined: nothing. */
export function policyOf(value: unknown): PolicySpec | OnlinePolicy | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isOnlinePolicy(value)) return value
  const { kind, compile, fit } = value as Partial<Record<string, unknown>>
  if (typeof compile === 'function') {
    const options = typeof fit === 'function' ? { oracle: value as Code } : { exploration: value as Code }
    return { name: String(kind), kind: 'engine', sees: 'world', options: options as object }
  }
  return 'options' in value ? checkPolicySpec(value) : undefined
}

/** The code of a run. `use`: the files that may be loaded; default those that the run names. */
export async function loadCode(spec: RunSpec, use?: readonly string[]): Promise<CodeLookup> {
  const refs = [...spec.scenarios, ...spec.policies].filter(isCodeRef)
  const files = use ?? [...new Set(refs.map(({ file }) => file))]
  const byHash = new Map(refs.length === 0 ? [] : files.map((file) => [moduleHash(file), file]))
  const loaded = new Map<string, Readonly<Record<string, unknown>>>()
  for (const { hash, file } of refs) {
    const found = byHash.get(hash)
    if (found === undefined) {
      const got = files.length === 0 ? 'none' : [...byHash].map(([other, name]) => `"${name}" (${other})`).join(', ')
      throw new PrimoError(
        'invalid-option',
        `"${file}" must be the file that the run began with (${hash}), got ${got}; a worker is told its files with --use`,
        { value: file },
      )
    }
    if (!loaded.has(hash)) loaded.set(hash, await importModule(found))
  }
  return (ref) => {
    const value = loaded.get(ref.hash)?.[ref.export]
    return isEnvironment(value) ? value : policyOf(value)
  }
}
