// The record of a decision as JSON text, written once: the log keeps it, and the reply to the caller is a part of it.
// Most of it is names that never change and numbers, so it is joined from pieces rather than made from objects.

import type { CovariateUse, DecisionReply } from '@primo/contract'
import type { Engine, EpochState } from '@primo/core'
import type { Decide } from '../ledger/commands.js'

export interface DecisionText {
  readonly id: string
  readonly eventId: string | null
  readonly holdout: boolean
  readonly deferred: boolean
  /** JSON of the request as it came, and of the facts the learner needs. */
  readonly request: string
  readonly learning: string
  /** The action by its index, and the others that could have been taken; undefined: all. */
  readonly action: number
  readonly eligible: readonly number[] | undefined
  /** By action. */
  readonly scores: Float64Array
  readonly propensities: Float64Array
  readonly covariates: Readonly<Record<string, CovariateUse>>
}

export type DecisionWriter = (text: DecisionText) => Pick<Decide, 'record' | 'replyAt'>

/** Writes decisions of one policy. */
export function createDecisionWriter(engine: Engine, state: EpochState, mode: DecisionReply['policy']['mode']) {
  const { actions } = engine.encoding
  const learnt = state.rewardModel !== null
  const names = actions.map((action) => JSON.stringify(action))
  const ranked = names.map((name) => `{"action":${name},"score":`)
  const policy = JSON.stringify({
    version: state.version,
    epoch: state.epoch,
    gamma: state.gamma,
    profile: engine.profile,
    mode,
  } satisfies DecisionReply['policy'])
  const order = new Int32Array(actions.length)

  /** The eligible actions, best first; ties in the order they have. Few enough for the plainest sort. */
  function rank({ scores, propensities, eligible }: DecisionText): number {
    const count = eligible?.length ?? actions.length
    for (let k = 0; k < count; k++) {
      const action = eligible === undefined ? k : eligible[k]!
      let at = k
      for (; at > 0; at--) {
        const before = order[at - 1]!
        const better = (learnt && scores[action]! - scores[before]!) || propensities[action]! - propensities[before]!
        if (!(better > 0)) break
        order[at] = before
      }
      order[at] = action
    }
    return count
  }

  const write: DecisionWriter = (text) => {
    const { id, eventId, action, scores, propensities } = text
    const head = [
      `{"id":"${id}","eventId":`,
      eventId === null ? 'null' : JSON.stringify(eventId),
      `,"holdout":${text.holdout},"deferred":${text.deferred},"request":`,
      text.request,
      ',"learning":',
      text.learning,
      ',"reply":',
    ].join('')
    const pieces = [
      head,
      `{"decisionId":"${id}","action":`,
      names[action]!,
      ',"propensity":',
      String(propensities[action]),
      ',"ranking":[',
    ]
    const count = rank(text)
    for (let k = 0; k < count; k++) {
      const a = order[k]!
      if (k > 0) pieces.push(',')
      pieces.push(ranked[a]!, learnt ? String(scores[a]) : 'null', ',"propensity":', String(propensities[a]), '}')
    }
    pieces.push('],"covariates":', JSON.stringify(text.covariates), ',"policy":', policy)
    if (text.holdout) pieces.push(',"holdout":true')
    return { record: pieces.join(''), replyAt: head.length }
  }
  return write
}
