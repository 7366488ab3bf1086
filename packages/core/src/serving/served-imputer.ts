// Imputers as a served problem defines them. Those that need a file, a thread or a network are columns to the engine: whoever decides asks
// the model first and passes on its answer.

import type { Imputer, MemberImputer } from '../problem/imputer.js'

/** Kinds whose models are asked before the engine decides. */
export const SERVED_KINDS: readonly string[] = ['module', 'onnx', 'http', 'llm']

/** The imputer as the engine takes it. */
export function engineImputer(imputer: unknown): Imputer {
  const given = imputer as { readonly kind: string; readonly members?: object }
  if (given.kind !== 'ensemble') return columnOf(given)
  return {
    ...(imputer as Extract<Imputer, { kind: 'ensemble' }>),
    members: Object.fromEntries(Object.entries(given.members ?? {}).map(([name, member]) => [name, columnOf(member)])),
  }
}

interface Named {
  readonly kind: string
  readonly version?: string
  readonly fingerprint?: string
}

function columnOf(imputer: Named): MemberImputer {
  // Before its file is read nothing is known of it.
  if (imputer.kind === 'trained' && 'file' in imputer && !('model' in imputer)) return { kind: 'column' }
  if (!SERVED_KINDS.includes(imputer.kind)) return imputer as MemberImputer
  const { version, fingerprint } = imputer
  return {
    kind: 'column',
    ...(version === undefined ? {} : { version }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  }
}
