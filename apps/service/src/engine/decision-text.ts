// The record of a decision as JSON, written once: the log keeps it, and the reply to the caller is a part of it.
// Most of it is names that never change and numbers, so it is put together from pieces rather than made from objects.

import type { CovariateUse, DecisionReply } from '@primo/contract'
import type { Engine, EpochState, Ruling } from '@primo/core/engine'
import type { Decide } from '../ledger/commands.js'
import { asPiece, type ByteText } from './byte-text.js'
import type { GivenRequest } from './given-request.js'

export interface DecisionText {
  readonly id: string
  readonly eventId: string | null
  readonly holdout: boolean
  readonly deferred: boolean
  /** Whether a deadline for its reward will follow. */
  readonly windowed: boolean
  readonly given: GivenRequest
  readonly ruling: Ruling
  /** The action by its index, and those that could have been taken; undefined: all. */
  readonly action: number
  readonly eligible: readonly string[] | undefined
  /** By action. */
  readonly propensities: Float64Array
  readonly covariates: Readonly<Record<string, CovariateUse>>
  /** In shadow mode what was played instead, which the learner takes for the action. */
  readonly served: { readonly action: number; readonly propensity: number } | undefined
}

/** Writes the record behind what was written before. */
export type DecisionWriter = (decision: DecisionText, bytes: ByteText) => Pick<Decide, 'record' | 'replyAt'>

/** Writes decisions of one policy. */
export function createDecisionWriter(
  engine: Engine,
  state: EpochState,
  mode: DecisionReply['policy']['mode'],
): DecisionWriter {
  const { actions, actionIndex } = engine.encoding
  const learnt = state.rewardModel !== null
  const names = actions.map((action) => asPiece(JSON.stringify(action)))
  const first = actions.map((action) => asPiece(`{"action":${JSON.stringify(action)},"score":`))
  const ranked = actions.map((action) => asPiece(`},{"action":${JSON.stringify(action)},"score":`))
  const { version, epoch, gamma } = state
  const policy = { version, epoch, gamma, profile: engine.profile, mode } satisfies DecisionReply['policy']
  const policyText = asPiece(`,"policy":${JSON.stringify(policy)}`)
  const versionText = asPiece(`,"policy":${version}`)
  const order = new Int32Array(actions.length)

  /** The eligible actions, best first; ties in the order they have. Few enough for the plainest sort. */
  function rank(scores: Float64Array, propensities: Float64Array, eligible: readonly string[] | undefined): number {
    const count = eligible?.length ?? actions.length
    for (let k = 0; k < count; k++) {
      const action = eligible === undefined ? k : actionIndex.get(eligible[k]!)!
      let at = k
      for (; at > 0; at--) {
        const before = order[at - 1]!
        const gain = learnt ? scores[action]! - scores[before]! : 0
        if (!(gain > 0 || (gain === 0 && propensities[action]! > propensities[before]!))) break
        order[at] = before
      }
      order[at] = action
    }
    return count
  }

  function writeRanking({ ruling: { scores }, propensities, eligible }: DecisionText, bytes: ByteText): void {
    const count = rank(scores, propensities, eligible)
    for (let k = 0; k < count; k++) {
      const a = order[k]!
      bytes.piece((k === 0 ? first : ranked)[a]!)
      if (learnt) bytes.decimal(scores[a]!)
      else bytes.piece(NULL)
      bytes.piece(PROPENSITY)
      bytes.decimal(propensities[a]!)
    }
  }

  function writeLearning({ ruling, action, propensities, eligible, served }: DecisionText, bytes: ByteText): void {
    const { encoded, covariates, asked } = ruling
    bytes.piece(LEARNING)
    bytes.json(encoded.predictions)
    bytes.piece(USED)
    for (let k = 0; k < covariates.length; k++) {
      if (k > 0) bytes.piece(COMMA)
      bytes.number(covariates[k]!)
    }
    bytes.piece(LIST_END)
    if (eligible !== undefined) bytes.text(`"actions":${JSON.stringify(eligible)},`)
    bytes.piece(ACTION)
    bytes.piece(names[served?.action ?? action]!)
    bytes.piece(PROPENSITY)
    if (served === undefined) bytes.decimal(propensities[action]!)
    else bytes.text(String(served.propensity))
    bytes.piece(versionText)
    if (!isEmpty(asked)) bytes.text(`,"asked":${JSON.stringify(asked)}`)
  }

  function writeUses({ covariates }: DecisionText, bytes: ByteText): void {
    bytes.piece(OPEN)
    let first = true
    for (const name in covariates) {
      const use = covariates[name]!
      if (!first) bytes.piece(COMMA)
      first = false
      bytes.name(name)
      // What was seen is told as it was given.
      bytes.json(use, use.status !== 'observed')
    }
    bytes.piece(CLOSE)
  }

  return (decision, bytes) => {
    const { id, eventId, action, holdout } = decision
    bytes.begin()
    bytes.piece(ID)
    bytes.text(id)
    bytes.piece(EVENT)
    bytes.text(eventId === null ? 'null' : JSON.stringify(eventId))
    bytes.piece(REQUEST[(holdout ? 2 : 0) + (decision.deferred ? 1 : 0)]!)
    bytes.copy(decision.given.body, decision.given.start, decision.given.end)
    writeLearning(decision, bytes)
    bytes.piece(REPLY)
    const replyAt = bytes.length
    bytes.piece(DECISION_ID)
    bytes.text(id)
    bytes.piece(CHOICE)
    bytes.piece(names[action]!)
    bytes.piece(PROPENSITY)
    bytes.decimal(decision.propensities[action]!)
    bytes.piece(RANKING)
    writeRanking(decision, bytes)
    bytes.piece(COVARIATES)
    writeUses(decision, bytes)
    bytes.piece(policyText)
    if (holdout) bytes.piece(HELD)
    if (!decision.windowed) bytes.piece(NO_DEADLINE)
    return { record: bytes.take(), replyAt }
  }
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false
  return true
}

const ID = asPiece('{"id":"')
const EVENT = asPiece('","eventId":')
const REQUEST = [false, true].flatMap((holdout) =>
  [false, true].map((deferred) => asPiece(`,"holdout":${holdout},"deferred":${deferred},"request":`)),
)
const LEARNING = asPiece(',"learning":{"predictions":')
const USED = asPiece(',"used":[')
const OPEN = asPiece('{')
const CLOSE = asPiece('}')
const COMMA = asPiece(',')
const LIST_END = asPiece('],')
const ACTION = asPiece('"action":')
const PROPENSITY = asPiece(',"propensity":')
const REPLY = asPiece('},"reply":')
const DECISION_ID = asPiece('{"decisionId":"')
const CHOICE = asPiece('","action":')
const RANKING = asPiece(',"ranking":[')
const COVARIATES = asPiece('}],"covariates":')
const NULL = asPiece('null')
const HELD = asPiece(',"holdout":true')
const NO_DEADLINE = asPiece(',"rewardDeadline":null}}')
