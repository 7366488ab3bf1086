// The candidate that runs beside the live policy: what it changes, what is known of its gain, what became of the last one. Nothing where there
// was none.

import type { CandidateInfo } from '@primo/contract'
import { useResource } from '../../api/resource.js'
import { get, problemPath } from '../../api/service.js'
import { figure, moment } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { type Fact, Facts } from '../../components/facts.js'

const EVERY = 10_000

export function CandidateCard({ problem }: { readonly problem: string }) {
  const { value } = useResource(
    `candidate ${problem}`,
    (signal) => get<CandidateInfo>(problemPath(problem, '/candidate'), signal),
    EVERY,
  )
  if (value === null) return null
  const { candidate, promoted, last } = value
  if (candidate === null && promoted === null && last === null) return null
  return (
    <Card id="candidate" title={titleOf(value)} note="A candidate learns from the same log and decides nothing.">
      <Facts facts={[...candidateFacts(candidate), ...railFacts(promoted)]} />
    </Card>
  )
}

function titleOf({ candidate, last }: CandidateInfo): string {
  if (candidate !== null)
    return candidate.gain === null || candidate.rounds === 0
      ? 'A candidate runs beside the live policy; nothing is known of it yet'
      : 'A candidate runs beside the live policy: it is not known to be better yet'
  const why = last?.why === null || last === null ? '' : `: ${last.why}`
  if (last?.step === 'promoted') return `The candidate was promoted ${moment(last.time)}`
  return last?.step === 'rolled-back' ? `A promotion was rolled back${why}` : `The candidate was given up${why}`
}

function candidateFacts(candidate: CandidateInfo['candidate']): Fact[] {
  if (candidate === null) return []
  const { learning, imputers, since, rounds, looks, gain, level } = candidate
  const changes = [
    ...(learning === undefined ? [] : [`learning (${learning.profile ?? 'robust'})`]),
    ...Object.keys(imputers ?? {}).map((name) => `model of ${name}`),
  ]
  return [
    ['changes', changes.join(', ')],
    ['since', moment(since)],
    ['judged by', `${rounds} decisions, ${looks} looks`],
    [
      'gain',
      gain === null ? 'not known' : `${figure(gain.low)} to ${figure(gain.high)}`,
      `Mean reward above that of what was played, at all times with probability ${level}. It is promoted when both are above 0.`,
    ],
  ]
}

function railFacts(promoted: CandidateInfo['promoted']): Fact[] {
  return Object.entries(promoted?.guardrails ?? {}).map(([name, { reports, mean, limit }]) => [
    `guardrail ${name}`,
    mean === null ? 'no reports yet' : `mean ${figure(mean)} of ${reports}, limit ${figure(limit)}`,
  ])
}
