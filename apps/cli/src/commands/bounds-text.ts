// The constants, the theorems' terms by epoch and the regret bounds, as tables of text.

import { textTable } from '@primo/lab/node'
import type { BoundsRow, BoundsTable, ErrorRow } from '@primo/theory'
import type { SourcedConstant } from './bounds-constants.js'

export function boundsText(table: BoundsTable, constants: Readonly<Record<string, SourcedConstant>>): string {
  const sources = Object.entries(constants).map(([name, { value, source }]) => [name, shown(value), source])
  const parts = [`Constants\n\n${textTable(['constant', 'value', 'where from'], sources)}`]
  for (const theorem of [1, 3] as const) {
    for (const formulas of ['printed', 'corrected'] as const) {
      const rows = table.errors.filter((row) => row.theorem === theorem && row.formulas === formulas)
      if (rows.length > 0) parts.push(errorSection(theorem, formulas, rows))
    }
  }
  for (const theorem of [2, 4] as const) {
    for (const formulas of ['printed', 'corrected'] as const) {
      const rows = table.epochs.filter((row) => row.theorem === theorem && row.formulas === formulas)
      if (rows.length > 0) parts.push(section(theorem, formulas, rows))
    }
  }
  parts.push('Regret up to T, universal constants taken as 1', regretTable(table))
  return parts.join('\n\n')
}

function section(theorem: 2 | 4, formulas: string, rows: readonly BoundsRow[]): string {
  const names = [...new Set(rows.flatMap((row) => row.terms.map(({ name }) => name)))]
  const header = ['epoch', 'rounds', 'rows', ...names, 'Gamma', 'gamma', 'largest']
  const body = rows.map((row) => {
    const value = (name: string) => row.terms.find((term) => term.name === name)?.value
    return [
      String(row.epoch),
      String(row.rounds),
      String(row.rows),
      ...names.map((name) => shown(value(name))),
      shown(row.Gamma),
      shown(row.gamma),
      row.largest,
    ]
  })
  const title = `Theorem ${theorem} (${theorem === 2 ? 'PRIMO' : 'PRIMO-Cal'}), ${formulas === 'printed' ? 'as printed' : 'corrected'}`
  return `${title}\n\n${textTable(header, body)}`
}

function errorSection(theorem: 1 | 3, formulas: string, rows: readonly ErrorRow[]): string {
  const names = [...new Set(rows.flatMap((row) => row.terms.map(({ name }) => name)))]
  const body = rows.map((row) => [
    String(row.epoch),
    String(row.rows),
    ...names.map((name) => shown(row.terms.find((term) => term.name === name)?.value)),
    shown(row.bound),
    row.largest,
  ])
  const what = theorem === 1 ? 'error of the reward fit' : 'error of the calibrated imputer'
  const squared = rows.some((row) => row.theorem === 3 && row.of === 'squared error') ? ', terms of its square' : ''
  const title = `Theorem ${theorem} (${what}${squared}), ${formulas === 'printed' ? 'as printed' : 'corrected'}`
  return `${title}\n\n${textTable(['epoch', 'rows', ...names, 'bound', 'largest'], body)}`
}

function regretTable(table: BoundsTable): string {
  return textTable(
    ['theorem', 'formulas', 'bound', 'bound / T', 'largest term', 'says something'],
    table.regret.map((bound) => [
      String(bound.theorem),
      bound.formulas,
      shown(bound.total),
      shown(bound.total / table.horizon),
      bound.largest,
      bound.total < table.horizon ? 'yes' : 'no (above T)',
    ]),
  )
}

function shown(value: number | undefined): string {
  if (value === undefined) return '-'
  return value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)
    ? value.toExponential(2)
    : value.toPrecision(4)
}
