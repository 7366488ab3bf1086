// One sentence per problem, and whether it is settled. It claims a gain or a loss only where the interval of the
// difference, which holds at all times, excludes zero. Before that there is no verdict.

import type { Comparison, HistoryValue, ProblemDefinition, ProblemSummary } from '@primo/contract'
import { figure, percent, whole } from '../../charts/number-format.js'
import { cutName } from '../../components/cut-name.js'
import { differenceOf, estimateOf } from './value-findings.js'

export interface Verdict {
  readonly tone: 'good' | 'bad' | 'open'
  readonly sentence: string
  /** How sure it is, or what is known so far. */
  readonly detail: string
}

/** riskAlleles, risk_alleles: risk alleles. */
export function inWords(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase()
}

/** "With risk alleles unknown in 55% of cases, "; nothing where nothing is ever missing. */
export function missingWords({ covariates }: Pick<ProblemSummary, 'covariates'>): string {
  const parts = Object.entries(covariates)
    .filter(([, { missingShare }]) => missingShare !== null && missingShare > 0)
    .map(([name, { missingShare }], i) => `${inWords(name)} ${i === 0 ? 'unknown ' : ''}in ${percent(missingShare!)}`)
  return parts.length === 0 ? '' : `With ${parts.join(' and ')} of cases, `
}

/** For the demo, where the truth is known: the live service against the best rival shown, on the same decisions. */
export function comparisonVerdict(
  {
    unit,
    verb,
    rounds,
    needed,
    rival,
    perThousand: { live },
  }: Pick<Comparison, 'unit' | 'verb' | 'rounds' | 'needed' | 'rival' | 'perThousand'>,
  summary: Pick<ProblemSummary, 'covariates' | 'mode'>,
): Verdict {
  const { mean, low, high } = live
  const limits = `95% interval ${whole(low)} to ${whole(high)}, after ${whole(rounds)} decisions`
  const begin = missingWords(summary)
  if (low > 0 || high < 0)
    return {
      tone: low > 0 ? 'good' : 'bad',
      sentence: capital(
        `${begin}Primo ${verb} ${whole(Math.abs(mean))} ${low > 0 ? 'more' : 'fewer'} ${unit} per 1,000 decisions than ${rival}.`,
      ),
      detail: limits,
    }
  return {
    tone: 'open',
    sentence: noVerdict(summary),
    detail: `After ${whole(rounds)} decisions Primo could be ${whole(high)} ${unit} per 1,000 decisions ahead of ${rival}, or ${whole(-low)} behind.${needed === null ? '' : ` A verdict needs about ${whole(needed)}.`}`,
  }
}

/** Of any problem: what was earned against what is done without Primo or, where nothing is named, against chance. */
export function valueVerdict(
  definition: Pick<ProblemDefinition, 'reward' | 'guards'>,
  summary: Pick<ProblemSummary, 'covariates' | 'decisions' | 'mode'>,
  value: HistoryValue | null,
): Verdict {
  const range = definition.reward.mean ?? definition.reward
  const baseline = definition.guards?.baseline ?? null
  const sentence = noVerdict(summary)
  const played = value === null ? null : estimateOf(value, 'played', range)
  if (value === null || played === null)
    return {
      tone: 'open',
      sentence,
      detail:
        summary.decisions === 0
          ? 'No decision has been made.'
          : `${whole(summary.decisions)} decisions were made; no reward of a decision by Primo has come back yet.`,
    }
  const always = baseline === null ? null : estimateOf(value, 'baseline', range)
  const other = always ?? estimateOf(value, 'uniform', range)
  const than = always === null ? 'choosing at random' : `always choosing “${cutName(baseline!)}”`
  const begin = missingWords(summary)
  const earns = `Primo earns ${figure(played.mean)} per decision`
  if (other === null)
    return {
      tone: 'open',
      sentence,
      detail: `${earns}; the log says too little about what ${than} would earn.`,
    }
  const { low, high } = differenceOf(value, always === null ? 'uniform' : 'baseline', range)
  const detail = `95% interval of the difference: ${figure(low)} to ${figure(high)}.`
  if (low <= 0 && high >= 0)
    return { tone: 'open', sentence, detail: `${earns}; ${than} would earn about ${figure(other.mean)}. ${detail}` }
  const more = low > 0
  return {
    tone: more ? 'good' : 'bad',
    sentence: capital(`${begin}${earns}, ${more ? 'more' : 'less'} than ${than} would (${figure(other.mean)}).`),
    detail,
  }
}

/** What is frozen does not learn. */
function noVerdict({ mode }: Pick<ProblemSummary, 'mode'>): string {
  return mode === 'frozen' ? 'No verdict yet.' : 'Learning: no verdict yet.'
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
