// The client of one problem whose definition the compiler knows: names, levels and actions are those of the definition.

import type {
  CandidateBody,
  CandidateInfo,
  CovariateReply,
  DecisionBody,
  DecisionExplained,
  DecisionReply,
  Epochs,
  ProblemDefinition,
  ProblemInfo,
  ProblemSummary,
  RewardReply,
} from '@primo/contract'
import type { Client, Decided, DecideOptions, RewardOptions } from './client.js'

type Features = ProblemDefinition['context']
type Covariates = ProblemDefinition['covariates']
type Values = DecisionBody['context']

/** A definition with types of its names, levels and actions, such as a problem of @primo/core with plain imputers. */
export interface DeclaredDefinition<Context extends Features, Missable extends Covariates, Action extends string>
  extends Omit<ProblemDefinition, 'context' | 'covariates' | 'actions'> {
  readonly context: Context
  readonly covariates: Missable
  readonly actions: readonly Action[]
}

// As core's ValuesOf, which the client does not depend on.
type ValueOf<Feature> = Feature extends { readonly type: 'number' }
  ? number
  : Feature extends { readonly type: 'boolean' }
    ? boolean
    : Feature extends { readonly other: infer Other; readonly levels: readonly (infer Level)[] }
      ? true extends Other
        ? string
        : Level
      : Feature extends { readonly levels: readonly (infer Level)[] }
        ? Level
        : never
export type ValuesOf<Specs> = Specs extends infer Own ? { readonly [Name in keyof Own]: ValueOf<Own[Name]> } : never

/** A request of `decide` with the names, values and actions of its problem. */
export interface DecisionBodyOf<Context = Values, Missable = Values, Action extends string = string>
  extends Omit<DecisionBody, 'context' | 'covariates' | 'predictions' | 'missing' | 'actions' | 'excluded' | 'served'> {
  readonly context: Context
  /** null or absent: missing. */
  readonly covariates?: { readonly [Name in keyof Missable]?: Missable[Name] | null }
  /** Predictions of covariates made by the caller; null: the model failed. */
  readonly predictions?: { readonly [Name in keyof Missable]?: NonNullable<DecisionBody['predictions']>[string] }
  /** Why a covariate is missing. */
  readonly missing?: { readonly [Name in keyof Missable]?: string }
  /** The eligible actions. */
  readonly actions?: readonly Action[]
  /** Actions that are not eligible now. */
  readonly excluded?: readonly Action[]
  /** Mode shadow: the action that the caller played. */
  readonly served?: { readonly action: Action; readonly propensity?: number }
}

/** A reply with the actions and covariates of its problem. */
export interface DecisionReplyOf<Action extends string = string, Covariate extends PropertyKey = string>
  extends Omit<DecisionReply, 'action' | 'ranking' | 'covariates'> {
  action: Action
  ranking: { action: Action; score: number | null; propensity: number }[]
  covariates: Record<Covariate, CovariateReply>
}

/** The calls of a client for one problem; see `Client` for what each does. */
export interface ProblemClient<Context = Values, Missable = Values, Action extends string = string> {
  readonly decide: (
    request: DecisionBodyOf<Context, Missable, Action>,
    options: DecideOptions<Action>,
  ) => Promise<Decided<Action, keyof Missable>>
  readonly reward: (id: string, value: number, options?: RewardOptions) => Promise<RewardReply>
  readonly reveal: (
    id: string,
    covariates: { readonly [Name in keyof Missable]?: Missable[Name] },
  ) => Promise<RewardReply>
  readonly activate: (id: string) => Promise<RewardReply>
  readonly void: (id: string) => Promise<RewardReply>
  /** Sends the definition to the service. */
  readonly define: (options?: { readonly newVersion?: boolean }) => Promise<ProblemInfo>
  readonly info: () => Promise<ProblemInfo>
  readonly summary: () => Promise<ProblemSummary>
  readonly epochs: () => Promise<Epochs>
  readonly explain: (id: string) => Promise<DecisionExplained>
  readonly freeze: () => Promise<ProblemInfo>
  readonly unfreeze: () => Promise<ProblemInfo>
  readonly rollback: (version: number) => Promise<ProblemInfo>
  readonly candidate: () => Promise<CandidateInfo>
  readonly setCandidate: (candidate: CandidateBody) => Promise<CandidateInfo>
  readonly withdrawCandidate: () => Promise<CandidateInfo>
}

export function problemClient(client: Client, problem: string, definition: ProblemDefinition): ProblemClient {
  return {
    decide: (request, options) => client.decide(problem, request as DecisionBody, options),
    reward: (id, value, options) => client.reward(problem, id, value, options),
    reveal: (id, covariates) => client.reveal(problem, id, covariates as Values),
    activate: (id) => client.activate(problem, id),
    void: (id) => client.void(problem, id),
    define: (options) => client.define(problem, definition, options),
    info: () => client.problem(problem),
    summary: () => client.summary(problem),
    epochs: () => client.epochs(problem),
    explain: (id) => client.explain(problem, id),
    freeze: () => client.freeze(problem),
    unfreeze: () => client.unfreeze(problem),
    rollback: (version) => client.rollback(problem, version),
    candidate: () => client.candidate(problem),
    setCandidate: (candidate) => client.setCandidate(problem, candidate),
    withdrawCandidate: () => client.withdrawCandidate(problem),
  }
}
