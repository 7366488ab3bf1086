// The public door of @primo/client.

export type { BatchOptions } from './batcher.js'
export {
  type Client,
  type ClientOptions,
  createClient,
  type Decided,
  type DecideOptions,
  type DefaultDecided,
  newId,
  type RewardOptions,
  type ServiceDecided,
} from './client.js'
export type { Report, ReportOptions, Spool } from './outbox.js'
export type {
  DecisionBodyOf,
  DecisionReplyOf,
  DeclaredDefinition,
  ProblemClient,
} from './problem-client.js'
export { ClientError, type TransportOptions } from './transport.js'
