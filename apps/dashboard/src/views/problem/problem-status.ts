// In which state a problem is, in one word.

import type { ProblemSummary } from '@primo/contract'
import type { Status } from '../../components/pill.js'
import { attentionTo } from './attention.js'
import type { Verdict } from './verdict.js'

export interface ProblemStatus {
  readonly status: Status
  readonly word: string
}

/** It learns for as long as nothing can be said of what it earns. */
export function statusOf(summary: ProblemSummary, verdict: Pick<Verdict, 'tone'>): ProblemStatus {
  const { mode, learning, decisions } = summary
  if (attentionTo(summary, verdict).length > 0) return { status: 'warn', word: 'needs attention' }
  if (mode === 'frozen') return { status: 'frozen', word: 'frozen' }
  if (decisions === 0) return { status: 'idle', word: 'waiting for decisions' }
  if (learning.policyVersion === 0 || verdict.tone === 'open') return { status: 'learning', word: 'learning' }
  return { status: 'good', word: mode === 'shadow' ? 'healthy, in shadow' : 'healthy' }
}
