// A study's result for the terminal: tables, then the sentences that say whether the claims held, and one over all of them.

import type { Study, StudyResult } from './study.js'
import { closingSentence } from './study-closing.js'
import { textTable } from './text-table.js'

/** A study's result for the terminal. */
export function studyText(study: Study, result: StudyResult): string {
  const settings = Object.entries(result.settings).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en') : value}`,
  )
  return [
    `${study.title}\n${study.claim}\n(${settings.join(', ')})`,
    ...result.tables.map(({ title, header, rows }) => `${title}\n\n${textTable(header, rows)}`),
    result.verdicts.map(({ held, sentence }) => `${held ? '✓' : '✗'} ${sentence}`).join('\n'),
    closingSentence(result),
  ].join('\n\n')
}
