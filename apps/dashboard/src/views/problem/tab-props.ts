// What the tabs of a problem are given.

import type { History, HistoryRange, ProblemInfo, ProblemSummary } from '@primo/contract'
import type { LearntEpoch } from '../learning/learnt.js'
import type { Verdict } from './verdict.js'

export interface TabProps {
  readonly problem: string
  readonly info: ProblemInfo
  readonly summary: ProblemSummary
  /** Of the range that the address names. */
  readonly history: History
  readonly range: HistoryRange
  /** Oldest first. */
  readonly epochs: readonly LearntEpoch[]
  /** Of what it earned so far. */
  readonly verdict: Verdict
  /** Of the tab "decisions": the one that is open. */
  readonly id: string | null
  /** Asks for everything again, without taking the view away. */
  readonly reload: () => void
}
