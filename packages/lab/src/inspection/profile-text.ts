// A profile for the terminal.

import { formatNumber } from '../report/number-format.js'
import { textTable } from '../report/text-table.js'
import { suspicionSentence } from '../tables/suspicious-values.js'
import { quote } from '../tables/table-error.js'
import { type ColumnProfile, MAX_DIFFERENT } from './column-profile.js'
import type { MissingPredictor } from './missing-predictors.js'
import type { TableProfile } from './profile-csv.js'

/** A profile of a table for the terminal. */
export function profileText(profile: TableProfile): string {
  const { file, rows, columns, written, unnamed, suspicious, patterns, predictors, leftOut } = profile
  const how = written.length === 0 ? '' : `, read as ${written.join(', ')}`
  const same = profile.twice
    .map(({ column, as }) => `; column ${column} is read as ${as}, its name stands twice`)
    .join('')
  const nameless = unnamed.length === 0 ? '' : `; column ${unnamed.join(', ')} without a name is left alone`
  return [
    `${file}: ${count(rows)} rows, ${columns.length} columns${how}${nameless}${same}`,
    textTable(
      ['column', 'type', 'values', 'missing'],
      columns.map((column) => [column.name, column.kind, values(column), missing(column)]),
    ),
    ...(patterns.length === 0
      ? [
          `Nothing is missing${columns.some(({ kind }) => kind === 'empty') ? ' in part: columns without values are of no use' : ''}.`,
        ]
      : [
          `Missing together\n\n${textTable(
            ['rows', 'share', 'missing'],
            patterns.map((one) => [
              count(one.rows),
              percent(one.rows / rows),
              one.columns.length === 0 ? 'nothing' : one.columns.join(', '),
            ]),
          )}`,
          predictors.length === 0
            ? 'No single column predicts what is missing.'
            : `What predicts that a value is missing (AUC; 0.5 tells nothing)\n\n${predictions(predictors, columns)}`,
        ]),
    ...(suspicious.length === 0
      ? []
      : [
          `${suspicious.map(suspicionSentence).join('\n')}\nThe suggested spec takes these as missing; strike them from its "na" where they are values.`,
        ]),
    ...(leftOut.length === 0
      ? []
      : [`Left out of the suggested spec: ${leftOut.map(({ column, why }) => `${column} (${why})`).join(', ')}.`]),
    ...hints(profile),
  ].join('\n\n')
}

function hints({ file, spec }: TableProfile): readonly string[] {
  return [
    ...(spec.covariate === undefined
      ? [
          'No column is missing in part: name the covariate yourself (--covariate), with the flag that hides it (--observed).',
        ]
      : []),
    ...(spec.labels === undefined
      ? []
      : [`Texts of the outcome count as ${JSON.stringify(spec.labels)}: check "labels" in the spec.`]),
    ...(spec.action !== undefined && spec.reward !== undefined
      ? [
          `Every row is one decision: ${spec.action} was chosen, ${spec.reward} came of it. Next: primo evaluate ${file} --spec FILE.spec.json --policy fixed:ACTION${spec.propensity === undefined ? ' --behaviour estimate' : ''}`,
        ]
      : spec.rewards === undefined
        ? [
            'No columns of rewards were found (one per action, such as r0,r1): replay needs them (--rewards), calibrate does not. If every row is one decision, say which columns are --action and --reward.',
          ]
        : []),
  ]
}

function values({ kind, numbers, top = [], different }: ColumnProfile): string {
  if (kind === 'empty') return 'none'
  if (numbers !== undefined) {
    if (kind === 'boolean') return `true in ${percent(numbers.mean)}`
    const { min, max, mean, sd } = numbers
    return `${formatNumber(min)} to ${formatNumber(max)}, mean ${formatNumber(mean)}, sd ${formatNumber(sd)}${different < 13 ? `, ${different} different` : ''}`
  }
  const shown = top.slice(0, kind === 'category' ? 3 : 1).map(([value, times]) => `${quote(value)} ${count(times)}`)
  const more = different >= MAX_DIFFERENT ? 'very many' : count(different)
  return `${more} different: ${shown.join(', ')}${different > shown.length ? ', ...' : ''}`
}

function missing({ missing: cells, rows, markers }: ColumnProfile): string {
  if (cells === 0) return '0'
  const by = Object.entries(markers).map(([marker, times]) => `${marker === '' ? 'empty' : marker} ${count(times)}`)
  const detail = by.length === 0 || (by.length === 1 && markers[''] !== undefined) ? '' : ` (${by.join(', ')})`
  return `${count(cells)}, ${percent(cells / rows)}${detail}`
}

function predictions(found: readonly MissingPredictor[], columns: readonly ColumnProfile[]): string {
  return textTable(
    ['missing', 'predicted by', 'AUC', 'how'],
    found.map(({ column, predictor, auc }) => {
      const kind = columns.find(({ name }) => name === predictor)?.kind
      const how =
        kind === 'category' ? 'by level' : auc > 0.5 ? 'missing where it is large' : 'missing where it is small'
      return [column, predictor, Math.max(auc, kind === 'category' ? auc : 1 - auc).toFixed(2), how]
    }),
  )
}

function count(value: number): string {
  return value.toLocaleString('en')
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`
}
