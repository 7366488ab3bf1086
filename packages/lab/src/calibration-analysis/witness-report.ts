// Sets by witnesses as a table and a sentence.

import type { MissingSet } from '@primo/core/engine'
import { formatEstimate, formatInterval, formatNumber } from '../report/number-format.js'
import type { StudyTable } from '../report/study.js'
import { textTable } from '../report/text-table.js'
import type { WitnessSet, WitnessSets } from './witness-sets.js'

/** The sets, with what each witness narrowed. */
export function witnessTable({ covariate, sets }: WitnessSets): StudyTable {
  return {
    title: `${covariate} where it is missing, whatever made it missing: what witnesses allow (95%)`,
    header: ['what is known', 'mean over missing rows', 'share of the range'],
    rows: sets.flatMap((one) => {
      const of = one.level === null ? '' : `${one.level}: `
      const { low, high } = one.atRandom
      const interval = low === null || high === null ? '' : ` (${formatInterval([low, high])})`
      return [
        [
          `${of}missing at random`,
          `${formatEstimate({ mean: one.atRandom.value, standardError: one.atRandom.se })}${interval}`,
          '',
        ],
        [`${of}no witness: the range seen`, limitsText(one.range), '100%'],
        ...one.witnesses.map(({ name, used, set, explained }) =>
          used
            ? [`${of}${name} alone`, limitsText(set), shareText(set, one)]
            : [`${of}${name} alone`, `adds nothing: the context explains ${(100 * explained).toFixed(1)}% of it`, ''],
        ),
        [`${of}all witnesses`, limitsText(one.set), shareText(one.set, one)],
        [`${of}the model's bias E[g - z], all witnesses`, limitsText(one.bias), ''],
      ]
    }),
  }
}

/** One sentence per set. */
export function witnessSentences({ covariate, missing, sets }: WitnessSets): readonly string[] {
  if (missing === 0) return [`${covariate}: no row is without it, so that there is nothing to say.`]
  return sets.map((one) => `${one.level === null ? covariate : `${covariate} = ${one.level}`}: ${sentence(one)}`)
}

/** Table and sentences for the terminal. */
export function witnessText(found: WitnessSets): string {
  const { title, header, rows } = witnessTable(found)
  return [`${title}\n\n${textTable(header, rows)}`, witnessSentences(found).join('\n')].join('\n\n')
}

function sentence({ verdict, set, atRandom, range }: WitnessSet): string {
  const limits = limitsText(set)
  switch (verdict) {
    case 'contradiction':
      return 'no values agree with the witnesses; at least one of them depends on why values are missing.'
    case 'excludes':
      return `the set excludes missing at random: the mean over missing rows is within ${limits}, not ${formatNumber(atRandom.value, 3)}.`
    case 'point':
      return `the set is a point, up to chance: the mean over missing rows is within ${limits}, as missing at random says.`
    case 'holds':
      return `the mean over missing rows is within ${limits}, whatever made them missing; missing at random (${formatNumber(atRandom.value, 3)}) is inside.`
    case 'nothing':
      return `nothing can be said without assuming missing at random: the mean over missing rows may be anywhere within ${limitsText(range)}.`
  }
}

function limitsText(set: MissingSet): string {
  return set === null ? 'none agrees' : formatInterval([set.lower, set.upper])
}

function shareText(set: MissingSet, { range }: WitnessSet): string {
  return set === null ? '' : `${Math.round((100 * (set.upper - set.lower)) / (range.upper - range.lower || 1))}%`
}
