// An upload: decisions that callers made in their own processes, with what they learnt of them since, in order. Each decision is made again by
// the policy that it names and refused where it differs; then it enters the ledger like any other.

import type { LocalDecision, UploadItem } from '@primo/contract'
import { checkTruths } from '@primo/core/engine'
import type { GivenRequest } from '../codec/codec.js'
import type { Command, Decide, Outcome } from '../ledger/commands.js'
import { asServiceError, ServiceError } from '../ledger/service-error.js'
import type { Store } from '../ledger/store.js'
import { createBatchLimit } from './batch-limit.js'
import { callerKey } from './caller-key.js'
import type { EarlierPolicies } from './earlier-policies.js'
import type { Host, HostEvents } from './host.js'
import type { Caller, ProblemHost } from './problem-host.js'

/** What became of the items of an upload. */
export interface Uploaded {
  readonly accepted: number
  readonly repeated: number
  readonly refused: ReadonlyMap<number, ServiceError>
  /** The live policy. */
  readonly policy: string
}

interface UploadOptions extends Pick<Host, 'problem' | 'fresh' | 'upToDate' | 'codec'>, Pick<HostEvents, 'decided'> {
  readonly store: Store
  readonly clock: () => number
  readonly earlier: EarlierPolicies
}

const MAX_ATTEMPTS = 10
/** Milliseconds by which a caller's clock may be ahead. */
const AHEAD = 300_000

export function createUpload(options: UploadOptions): Host['upload'] {
  const { store, clock, problem, fresh, upToDate, decided, earlier, codec } = options
  const admit = createBatchLimit()

  /** The problem as the named policy decided it, or why there is none. */
  async function policyOf(live: ProblemHost, name: string): Promise<ProblemHost | ServiceError> {
    if (live.policyName() === name) return live
    try {
      return await earlier.find(live, name)
    } catch (error) {
      if (error instanceof ServiceError) return error
      throw error
    }
  }

  function commandOf(live: ProblemHost, by: ProblemHost | ServiceError, from: Caller, item: UploadItem): Command {
    const { name, version } = live.row
    if ('decision' in item) {
      if (by instanceof ServiceError) throw by
      return { ...verified(by, from, item.decision), revision: live.row.revision }
    }
    const { id } =
      'reward' in item ? item.reward : 'reveal' in item ? item.reveal : 'void' in item ? item.void : item.activate
    own(from.caller, id)
    if ('activate' in item) return { kind: 'activate', problem: name, ref: id }
    if ('void' in item) return { kind: 'void', problem: name, ref: id, unseen: false }
    if ('reward' in item) {
      const { id: ref, rewardId = null, ...more } = item.reward
      return { kind: 'reward', problem: name, ref, rewardId, ...more }
    }
    const { covariates } = item.reveal
    checkTruths(live.engine, covariates)
    return { kind: 'reveal', problem: name, version, ref: id, covariates }
  }

  function verified(by: ProblemHost, from: Caller, decision: LocalDecision): Decide {
    own(from.caller, decision.id)
    if (decision.decidedAt > clock() + AHEAD)
      throw new ServiceError(
        'verification-failed',
        `decidedAt must not be ahead of the time, got ${decision.decidedAt}`,
      )
    return by.decideAs(decision, from)
  }

  return async (name, upload, mayReward = true) => {
    const { items } = upload
    const refused = new Map<number, ServiceError>()
    let accepted = 0
    let repeated = 0
    let waiting = items.map((_, index) => index)
    let live = await problem(name)
    for (let attempt = 0; waiting.length > 0; attempt++) {
      if (attempt === MAX_ATTEMPTS) throw new ServiceError('overloaded', `problem "${name}" is being changed`)
      if (attempt > 0) live = await fresh(name)
      if (live.row.retired !== null) throw new ServiceError('problem-retired', `problem "${name}" was retired`)
      let by = await policyOf(live, upload.policy)
      if (by instanceof ServiceError) {
        // Another replica may know it.
        live = await upToDate(name)
        by = await policyOf(live, upload.policy)
      }
      const from = { caller: upload.caller, key: await callerKey(live.row.seed, upload.caller) }
      const done = admit(live, waiting.map(asGiven))
      try {
        const commands: Command[] = []
        const sent: number[] = []
        for (const index of waiting) {
          try {
            if (!mayReward) requireNoReward(items[index]!)
            commands.push(commandOf(live, by, from, items[index]!))
            sent.push(index)
          } catch (error) {
            const refusal = asServiceError(error)
            if (refusal === null) throw error
            refused.set(index, refusal)
          }
        }
        const outcomes = commands.length === 0 ? [] : await store.commit(commands)
        waiting = []
        const stale = new Set<string>()
        outcomes.forEach((outcome, k) => {
          const command = commands[k]!
          const again = 'stale' in outcome || ('error' in outcome && 'ref' in command && stale.has(command.ref))
          if (again) {
            waiting.push(sent[k]!)
            if (command.kind === 'decide') stale.add(command.id)
          } else if ('error' in outcome) refused.set(sent[k]!, new ServiceError(outcome.error, outcome.detail))
          else if (isRepeated(outcome)) repeated++
          else accepted++
        })
        const made = commands.filter(
          (command, k): command is Decide => command.kind === 'decide' && isNew(outcomes[k]!),
        )
        if (made.length > 0) decided(name, made)
        codec.release(commands.flatMap((command) => (command.kind === 'decide' ? [command.record] : [])))
      } finally {
        done()
      }
    }
    return { accepted, repeated, refused, policy: live.policyName() }
  }
}

const NOTHING: GivenRequest = { request: { context: {} }, json: new Uint8Array(0) }
/** The limit counts records; requests are a small part of them. */
const asGiven = () => NOTHING

/** Rewards and truths decide what is learnt: the role that decides is not enough for them. */
function requireNoReward(item: UploadItem): void {
  if (!('reward' in item || 'reveal' in item)) return
  const what = 'reward' in item ? `reward of decision "${item.reward.id}"` : `reveal of decision "${item.reveal.id}"`
  const next = 'make a key of role decide+reward'
  throw new ServiceError('forbidden', `${what} needs a key of role reward, too, got one of role decide; ${next}`)
}

/** Callers tell of their own decisions only. */
function own(caller: string, id: string): void {
  if (!id.startsWith(`${caller}~`))
    throw new ServiceError('verification-failed', `id must begin with "${caller}~", got "${id}"`)
}

function isNew(outcome: Outcome): boolean {
  return 'duplicate' in outcome && !outcome.duplicate
}

function isRepeated(outcome: Outcome): boolean {
  return ('duplicate' in outcome && outcome.duplicate) || ('status' in outcome && outcome.status === 'duplicate')
}
