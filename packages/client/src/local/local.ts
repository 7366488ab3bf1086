// Decides in this process by the policy and the code of the service, without waiting for it. Uploads the decisions in
// the background; the service recomputes each one and takes only those that agree.

import type { DecisionBody, UploadItem } from '@primo/contract'
import type { Prediction } from '@primo/core'
import { type Claim, Proof, proofText } from '@primo/core/engine'
import { PrimoError } from '@primo/numeric'
import type { RewardOptions } from '../client.js'
import type { LocalPolicy } from './local-policy.js'
import { openPolicySource, type SourceOptions } from './policy-source.js'
import {
  type Acknowledge,
  createUploads,
  MAX_SIZE,
  type Pending,
  type UploadCounts,
  type UploadOptions,
} from './uploads.js'

/** How to decide locally. */
export interface LocalOptions extends SourceOptions {
  /** Played where there is no policy, or it is too old and the problem has no baseline. */
  readonly default: string
  /** Milliseconds since the service last confirmed the policy after which the baseline is played; default: one day. */
  readonly maxAge?: number
  /** Milliseconds that opening waits for a first policy where none was kept; default 2,000. */
  readonly wait?: number
  /** When `acknowledged` resolves; default: spool where there is one, else memory. */
  readonly acknowledge?: Acknowledge
  readonly uploads?: UploadOptions
  /** Models of this program by covariate, in place of the problem's where a value is missing; null: no prediction. */
  readonly predict?: Readonly<Record<string, (context: DecisionBody['context']) => Prediction | null>>
}

/** The action to play. */
export type LocalDecided = PolicyDecided | StandInDecided

/** The policy's choice; it will be uploaded. */
export interface PolicyDecided {
  readonly from: 'policy'
  readonly decisionId: string
  readonly action: string
  /** Of the whole procedure. */
  readonly propensity: number
  /** Version of the policy. */
  readonly policy: number
  readonly holdout: boolean
  /** Missing covariates whose truth the audit asks for. */
  readonly pleaseReveal?: readonly string[]
}

/** The baseline or the default stands in; nothing is learnt from it. */
export interface StandInDecided {
  readonly from: 'baseline' | 'default'
  readonly decisionId: null
  readonly action: string
  readonly reason: 'no-policy' | 'policy-too-old' | 'request-refused'
  /** Why the request was refused. */
  readonly error?: Error
}

/** Counts of a local decider since it was opened. */
export interface LocalMetrics extends UploadCounts {
  readonly decided: number
  readonly standIns: number
  readonly requestsRefused: number
  /** The policy in use; null: none. */
  readonly policy: string | null
  /** Milliseconds since the service last confirmed it. */
  readonly policyAge: number | null
  readonly policyFailures: number
}

/** Decides one problem in this process. */
export interface Local {
  /** Never throws, never waits. */
  readonly decide: (request: DecisionBody) => LocalDecided
  /** Does nothing for a stand-in (null). */
  readonly reward: (id: string | null, value: number, options?: RewardOptions) => void
  readonly reveal: (id: string | null, covariates: Readonly<Record<string, number | boolean | string>>) => void
  readonly activate: (id: string | null) => void
  readonly void: (id: string | null) => void
  /** Resolves when all so far is acknowledged in the mode of `acknowledge`; rejects where some of it was lost. */
  readonly acknowledged: () => Promise<void>
  /** Resolves when fewer batches wait than this share of `keepAtMost`; default 0.5. */
  readonly room: (share?: number) => Promise<void>
  /** Fetches the policy now. Resolves to whether the service answered. */
  readonly refresh: () => Promise<boolean>
  readonly metrics: () => LocalMetrics
  /** Uploads waiting batches for at most `within` milliseconds, then ends. Resolves to the number of batches left. */
  readonly close: (within?: number) => Promise<number>
}

const DAY = 86_400_000

/**
 * Opens a local decider. Resolves at once where a policy was kept, else when the first one came or `wait` is over.
 * @example
 * const local = await openLocal({ url: 'http://127.0.0.1:8642', problem: 'dose', caller: 'web-1', default: 'low' })
 * const d = local.decide({ context: { age: 63, smoker: false } })
 * local.reward(d.decisionId, 1)
 */
export async function openLocal(options: LocalOptions): Promise<Local> {
  const { problem, caller, predict, maxAge = DAY, wait = 2000, uploads: given = {} } = options
  if (!/^[A-Za-z0-9_.-]{1,80}$/.test(caller))
    throw new Error(`caller must be 1 to 80 letters, digits, ".", "_" or "-", got "${caller}"`)
  const acknowledge = options.acknowledge ?? (given.spool === undefined ? 'memory' : 'spool')
  if (acknowledge === 'spool' && given.spool === undefined)
    throw new Error('acknowledge must be "commit" or "memory" unless uploads.spool is given, got "spool"')
  const { size = MAX_SIZE } = given
  if (!Number.isInteger(size) || size < 1 || size > MAX_SIZE)
    throw new Error(`uploads.size must be a whole number from 1 to ${MAX_SIZE}, got ${size}`)
  const source = await openPolicySource(options)
  const uploads = createUploads({
    ...options,
    problem,
    caller,
    acknowledge,
    uploads: given,
    told: (policy) => {
      if (source.policy()?.document.policy !== policy) void source.refresh()
    },
  })
  const run = `${caller}~${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 5).toString(36)}~`
  const proof = new Proof()
  let count = 0
  let rewards = 0
  let standIns = 0
  let requestsRefused = 0
  if (source.policy() === null) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, wait)
    })
    await Promise.race([source.refresh(), late])
    clearTimeout(timer)
  }

  function standIn(
    reason: StandInDecided['reason'],
    request: DecisionBody,
    policy: LocalPolicy | null,
    error?: Error,
  ): StandInDecided {
    standIns++
    const guarded = policy?.document.definition.guards?.baseline
    const baseline = guarded !== undefined && isEligible(request, guarded) ? guarded : undefined
    const from = baseline === undefined ? 'default' : 'baseline'
    const action = baseline ?? options.default
    return { from, decisionId: null, action, reason, ...(error === undefined ? {} : { error }) }
  }

  function decide(request: DecisionBody): LocalDecided {
    const policy = source.policy()
    if (policy === null) return standIn('no-policy', request, null)
    const decidedAt = Date.now()
    if (decidedAt - source.confirmed() > maxAge) return standIn('policy-too-old', request, policy)
    const id = run + count.toString(36)
    try {
      const asked = predict === undefined ? request : withPredictions(request, predict)
      const made = policy.decider.decide(asked, id)
      const { choice, action, propensities, held } = made
      const name = policy.engine.encoding.actions[action]!
      const propensity = propensities[action]!
      const score = policy.learnt ? choice.scores[action]! : null
      proof.decision(policy.document.key, made)
      const by = policy.document.policy
      const used = Array.from(choice.covariates)
      const claim = { action: name, propensity, score, used }
      uploads.add(new MadeDecision(by, id, decidedAt, copyOf(asked), claim, proof.high, proof.low))
      // A refused request leaves no gap in the numbers.
      count++
      const decided = {
        from: 'policy',
        decisionId: id,
        action: name,
        propensity,
        policy: policy.document.version,
      } as const
      for (const _ in choice.asked) return { ...decided, holdout: held, pleaseReveal: Object.keys(choice.asked) }
      return { ...decided, holdout: held }
    } catch (error) {
      requestsRefused++
      return standIn(
        'request-refused',
        request,
        policy,
        error instanceof Error ? error : new PrimoError('invalid-request', String(error)),
      )
    }
  }

  /** Reports are told under the policy of the batch that is being made; they need none. */
  function tell(id: string | null, item: UploadItem): void {
    if (id !== null) uploads.add({ policy: source.policy()?.document.policy ?? '', toItem: () => item })
  }

  return {
    decide,
    reward: (id, value, { rewardId, metrics } = {}) => {
      const policy = source.policy()
      const first = policy !== null && (policy.document.definition.reward.aggregate ?? 'first') === 'first'
      // Where rewards add up, repeating one must not count twice.
      const own = rewardId ?? (first ? undefined : `${run}r${(rewards++).toString(36)}`)
      const more = {
        ...(own === undefined ? {} : { rewardId: own }),
        ...(metrics === undefined ? {} : { metrics: { ...metrics } }),
      }
      tell(id, { reward: { id: id!, value, ...more } })
    },
    reveal: (id, covariates) => tell(id, { reveal: { id: id!, covariates: { ...covariates } } }),
    activate: (id) => tell(id, { activate: { id: id! } }),
    void: (id) => tell(id, { void: { id: id! } }),
    acknowledged: uploads.acknowledged,
    room: (share = 0.5) => uploads.room(share),
    refresh: source.refresh,
    metrics: () => {
      const policy = source.policy()
      return {
        ...uploads.counts(),
        decided: count,
        standIns,
        requestsRefused,
        policy: policy?.document.policy ?? null,
        policyAge: policy === null ? null : Date.now() - source.confirmed(),
        policyFailures: source.failures(),
      }
    },
    close: async (within = 5000) => {
      const left = await uploads.settled(within)
      source.close()
      return left
    },
  }
}

const text = new Proof()

/** A decision until its batch is made. */
class MadeDecision implements Pending {
  constructor(
    readonly policy: string,
    readonly id: string,
    readonly decidedAt: number,
    readonly request: DecisionBody,
    readonly claim: Claim & { readonly used: number[] },
    readonly high: number,
    readonly low: number,
  ) {}

  toItem(): UploadItem {
    const { id, decidedAt, request, claim } = this
    text.begin(this.high, this.low)
    text.text(proofText(id, this.policy, decidedAt, JSON.stringify(request)))
    return { decision: { id, decidedAt, request, ...claim, proof: text.end() } }
  }
}

/** Two levels deep: the caller may change its objects later. */
function copyOf(request: DecisionBody): DecisionBody {
  const copy = { ...request, context: { ...request.context } }
  if (request.covariates !== undefined) copy.covariates = { ...request.covariates }
  if (request.predictions !== undefined) copy.predictions = { ...request.predictions }
  if (request.missing !== undefined) copy.missing = { ...request.missing }
  if (request.actions !== undefined) copy.actions = [...request.actions]
  if (request.excluded !== undefined) copy.excluded = [...request.excluded]
  if (request.served !== undefined) copy.served = { ...request.served }
  return copy
}

/** Takes any request, also one that does not fit the problem. */
function isEligible(request: Partial<DecisionBody> | null | undefined, action: string): boolean {
  const { actions, excluded } = request ?? {}
  if (Array.isArray(actions) && !actions.includes(action)) return false
  return !(Array.isArray(excluded) && excluded.includes(action))
}

function withPredictions(request: DecisionBody, predict: NonNullable<LocalOptions['predict']>): DecisionBody {
  const predictions: NonNullable<DecisionBody['predictions']> = {}
  for (const name in predict) {
    if ((request.covariates?.[name] ?? null) !== null) continue
    try {
      predictions[name] = predict[name]!(request.context) as NonNullable<DecisionBody['predictions']>[string]
    } catch {
      predictions[name] = null
    }
  }
  return { ...request, predictions: { ...predictions, ...request.predictions } }
}
