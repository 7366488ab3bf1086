// Writes the record of a decision as JSON, once: the log keeps it, and the reply to the caller is a part of it. Most of it
// is fixed text and numbers, so it is assembled from pieces. `plain-codec.ts` says what comes out.

import type { DecisionReply } from '@primo/contract'
import type { Decide } from '../ledger/commands.js'
import { asPiece, type ByteText, CLOSE, COMMA, OPEN } from './byte-text.js'
import type { DecisionToWrite, DecisionWriter, WriterPolicy } from './codec.js'
import { covariateFacts } from './plain-codec.js'

export function createDecisionWriter({ engine, state, mode }: WriterPolicy, bytes: ByteText): DecisionWriter {
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
  const facts = rememberedFacts()

  /** Eligible actions, best first; ties by propensity, then in the order given. An insertion sort: they are few. */
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

  function writeRanking({ choice: { scores }, propensities, eligible }: DecisionToWrite): void {
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

  function writeLearning({ choice, action, propensities, eligible, served }: DecisionToWrite): void {
    const { encoded, covariates, asked } = choice
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

  function writeUses({ covariates }: DecisionToWrite): void {
    bytes.piece(OPEN)
    let first = true
    for (const name in covariates) {
      const use = covariates[name]!
      if (!first) bytes.piece(COMMA)
      first = false
      bytes.name(name)
      // An observed value is repeated as it was given.
      bytes.json(use, use.status !== 'observed')
    }
    bytes.piece(CLOSE)
  }

  return (decision) => {
    const { id, eventId, action, holdout } = decision
    bytes.begin()
    bytes.piece(ID)
    bytes.text(id)
    bytes.piece(EVENT)
    bytes.text(eventId === null ? 'null' : JSON.stringify(eventId))
    bytes.piece(FLAGS[(holdout ? 2 : 0) + (decision.deferred ? 1 : 0)]!)
    if (decision.local !== undefined) bytes.text(`,${JSON.stringify(decision.local).slice(1, -1)}`)
    bytes.piece(REQUEST)
    bytes.copy(decision.given.json)
    writeLearning(decision)
    bytes.piece(REPLY)
    const replyAt = bytes.length
    bytes.piece(DECISION_ID)
    bytes.text(id)
    bytes.piece(CHOICE)
    bytes.piece(names[action]!)
    bytes.piece(PROPENSITY)
    bytes.decimal(decision.propensities[action]!)
    bytes.piece(RANKING)
    writeRanking(decision)
    bytes.piece(COVARIATES)
    writeUses(decision)
    bytes.piece(policyText)
    if (holdout) bytes.piece(HELD)
    if (!decision.windowed) bytes.piece(NO_DEADLINE)
    return { record: bytes.take(), replyAt, covariates: facts(decision) }
  }
}

/** The sources (and failures) of the first covariates lead to a node; the last node has the facts. */
interface Remembered {
  readonly next: Map<string, Remembered>
  facts: Decide['covariates'] | null
}

/** Nodes per policy. */
const MAX_REMEMBERED = 1000

/** Gives one object for all decisions with the same facts: a message to another thread then holds it once. */
function rememberedFacts(): (decision: DecisionToWrite) => Decide['covariates'] {
  const root: Remembered = { next: new Map(), facts: null }
  let size = 0
  return (decision) => {
    if (decision.given.request.missing !== undefined) return covariateFacts(decision)
    let at = root
    for (const name in decision.covariates) {
      const { source, reason, pleaseReveal } = decision.covariates[name]!
      if (pleaseReveal === true) return covariateFacts(decision)
      const key = reason === undefined ? source : `${source}: ${reason}`
      let next = at.next.get(key)
      if (next === undefined) {
        if (size++ > MAX_REMEMBERED) return covariateFacts(decision)
        next = { next: new Map(), facts: null }
        at.next.set(key, next)
      }
      at = next
    }
    at.facts ??= covariateFacts(decision)
    return at.facts
  }
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false
  return true
}

const ID = asPiece('{"id":"')
const EVENT = asPiece('","eventId":')
const FLAGS = [false, true].flatMap((holdout) =>
  [false, true].map((deferred) => asPiece(`,"holdout":${holdout},"deferred":${deferred}`)),
)
const REQUEST = asPiece(',"request":')
const LEARNING = asPiece(',"learning":{"predictions":')
const USED = asPiece(',"used":[')
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
