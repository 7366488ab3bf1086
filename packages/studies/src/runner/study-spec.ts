// A study as data. On every world, repeat by repeat, all arms are measured on the same rounds; tables, plots and
// verdicts are made from the figures. A cell (world, repeat) depends on the spec, the size and the seed alone, so
// cells run in any thread in any order.

import type { StudyOptions, StudyPlot, StudyResult, StudyTable, Verdict } from '@primo/lab/node'
import type { Found } from './found.js'

/**
 * Numbers that say how large a study is: repeats per world, and whatever else its measurements need, such as rounds.
 */
export type Size = { readonly repeats: number } & Readonly<Record<string, number>>

/**
 * Figures of one arm in one cell. A figure that does not exist there, such as an interval that is withheld, is left
 * out.
 */
export type Figures = Readonly<Record<string, number>>

/** Figures by arm. */
export type Cell = Readonly<Record<string, Figures>>

/** Figures of one arm in one world with one seed. */
export type StudyRow = NonNullable<StudyResult['rows']>[number]

export interface World {
  readonly name: string
}

export interface CellOptions<S extends Size> extends Pick<StudyOptions, 'policies'> {
  readonly size: S
  /** Of this cell: the study's first seed plus the repeat. */
  readonly seed: number
  /** From 0. */
  readonly repeat: number
}

export interface StudySpec<W extends World = World, S extends Size = Size> {
  readonly name: string
  readonly title: string
  /** The claim under test, in one sentence. */
  readonly claim: string
  readonly full: S
  readonly quick: S
  /** Names are distinct. */
  readonly worlds: (size: S) => readonly W[]
  /** Repeats of one world; default: those of the size. */
  readonly repeats?: (world: W, size: S) => number
  /** Whether `measure` takes the policies of the options; default: they are refused. */
  readonly judgesPolicies?: true
  /** Worlds that are looked at again with other seeds, found in `Found.again`; default: none. */
  readonly again?: (found: Found<W, S>) => { readonly worlds: readonly W[]; readonly repeats: number }
  readonly measure: (world: W, options: CellOptions<S>) => Cell | Promise<Cell>
  readonly tables: (found: Found<W, S>) => readonly StudyTable[]
  readonly plots?: (found: Found<W, S>) => readonly StudyPlot[]
  readonly verdicts: (found: Found<W, S>) => readonly Verdict[]
  /** The file that the study needs and does not have; null: it can run. */
  readonly absent?: () => string | null
}
