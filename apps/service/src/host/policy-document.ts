// The live policy as a document: everything that deciding needs, for a caller that decides in its own process. The seed is not in it.

import { createHash } from 'node:crypto'
import type { PolicyDocument, ProblemDefinition } from '@primo/contract'
import { policyHash, shortHash } from '@primo/core/engine'
import { withoutSecrets } from '../imputers/without-secrets.js'
import type { ProblemRow } from '../ledger/book.js'
import { canonicalJson } from '../ledger/canonical-json.js'
import { callerKey } from './caller-key.js'
import type { ProblemHost } from './problem-host.js'

/** Names a policy of a definition: problem version, policy, definition. */
export function policyName({ version, definition, book }: ProblemRow): string {
  return `${version}.${book.policy}.${definitionHash(definition)}`
}

export function partsOf(policy: string): { version: number; policy: number; definition: string } | null {
  const parts = /^([1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.([0-9a-f]{16})$/.exec(policy)
  return parts === null ? null : { version: Number(parts[1]), policy: Number(parts[2]), definition: parts[3]! }
}

export function definitionHash(definition: ProblemDefinition): string {
  // Features count in their order.
  const inOrder = {
    ...withoutSeed(definition),
    context: Object.entries(definition.context),
    covariates: Object.entries(definition.covariates),
  }
  return createHash('sha256').update(canonicalJson(inOrder)).digest('hex').slice(0, 16)
}

interface Written {
  readonly text: string
  readonly hash: string
}

/** The part that all callers share, as JSON without its last brace. Writing and hashing it takes milliseconds. */
const known = new WeakMap<ProblemHost, Written>()

function sharedOf(host: ProblemHost): Written {
  const before = known.get(host)
  if (before !== undefined) return before
  const { row, state, mode } = host
  // Deciding does not need the records of where the state came from.
  const { models: _, ...kept } = state
  const document: Omit<PolicyDocument, 'caller' | 'key' | 'hash'> = {
    format: 2,
    problem: row.name,
    policy: host.policyName(),
    version: state.version,
    mode,
    definition: withoutSecrets(withoutSeed(row.definition)),
    state: { ...kept, reports: [] },
  }
  const shared = { text: JSON.stringify(document).slice(0, -1), hash: shortHash(document) }
  known.set(host, shared)
  return shared
}

/** The document as JSON, and its hash. */
export async function policyDocument(host: ProblemHost, caller: string): Promise<Written> {
  const { text, hash: ofShared } = sharedOf(host)
  const key = await callerKey(host.row.seed, caller)
  const hash = policyHash({ caller, key }, ofShared)
  return { text: `${text},${JSON.stringify({ caller, key, hash }).slice(1)}`, hash }
}

function withoutSeed(definition: ProblemDefinition): ProblemDefinition {
  if (definition.learning?.seed === undefined) return definition
  const { seed: _, ...learning } = definition.learning
  return { ...definition, learning }
}
