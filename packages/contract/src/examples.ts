// One story in the words of the wire: a dose is chosen for a patient whose genotype is not known.

import type { DecisionBatch, DecisionBody, DecisionReply } from './decision.js'
import { problemDetails } from './errors.js'
import type { ProblemDefinition } from './problem.js'
import type { schemas } from './schemas.js'

const definition = {
  context: { age: { type: 'number', min: 18, max: 95 }, smoker: { type: 'boolean' } },
  covariates: { carrier: { type: 'boolean', imputer: { kind: 'constant', value: 0.3 } } },
  actions: ['low', 'high'],
  reward: { min: 0, max: 1 },
  guards: { floor: 0.05, baseline: 'low' },
} satisfies ProblemDefinition

const body = {
  eventId: 'visit-1',
  context: { age: 63, smoker: false },
  covariates: { carrier: null },
  missing: { carrier: 'not tested' },
} satisfies DecisionBody

const reply = {
  decisionId: 'd1a',
  action: 'low',
  propensity: 0.5,
  ranking: [
    { action: 'low', score: null, propensity: 0.5 },
    { action: 'high', score: null, propensity: 0.5 },
  ],
  covariates: {
    carrier: { status: 'imputed', reason: 'not tested', value: 0.3, pretrained: 0.3, source: 'pretrained' },
  },
  policy: { version: 0, epoch: 0, gamma: 0, profile: 'robust', mode: 'active' },
  rewardDeadline: null,
} satisfies DecisionReply

const outcome = { decisionId: 'd1a', status: 'accepted' }
const key = {
  name: 'shop',
  role: 'decide',
  problems: ['dose'],
  expires: null,
  created: 1_700_000_000_000,
  revoked: null,
}

/** An example of each schema that users meet first. */
export const examples = {
  ProblemDefinition: definition,
  ProblemDetails: problemDetails('unknown-problem', 'no problem is called "dosis"', 'r1-1'),
  DecisionBody: body,
  DecisionReply: reply,
  DecisionBatch: { decisions: [body, { context: { age: 40, smoker: true } }] } satisfies DecisionBatch,
  DecisionBatchReply: { results: [reply] },
  RewardReport: { value: 1, rewardId: 'visit-1-outcome' },
  RewardReply: outcome,
  RewardBatch: { rewards: [{ id: 'visit-1', value: 1, rewardId: 'visit-1-outcome' }] },
  RewardBatchReply: { results: [outcome] },
  RevealReport: { covariates: { carrier: true } },
  VoidReport: { unseen: true },
  EvaluationRequest: { policies: ['uniform', 'fixed:low'], estimators: ['ips'], replicates: 0 },
  FlagRequest: { context: { targetingKey: 'ada', age: 63, smoker: false } },
  Rollback: { version: 3 },
  NewKey: { name: 'shop', role: 'decide', problems: ['dose'] },
  NewKeyReply: { ...key, secret: 'primo_decide_...' },
  KeyRotation: { overlap: 60_000 },
  KeyInfo: key,
  ClockInfo: { held: null },
  Liveness: { status: 'ok' },
  Readiness: { status: 'ok', problems: 1, learns: true },
  SubjectForgotten: {
    problem: 'dose',
    decisions: 2,
    erased: true,
    kept: 'ids, actions, propensities, rewards, counts',
  },
} as const satisfies Partial<Record<keyof typeof schemas, unknown>>
