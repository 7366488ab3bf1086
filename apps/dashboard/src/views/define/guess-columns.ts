// What the columns of a table are likely to be: type, how missing values are marked, and what part each plays. A start for a
// person to correct.

import { type Draft, levelsText, newCovariate, newDraft, newFeature } from './draft.js'
import type { CsvTable } from './read-csv.js'

export type Part = 'context' | 'covariate' | 'action' | 'reward' | 'prediction' | 'none'

export interface GuessedColumn {
  readonly name: string
  readonly kind: 'number' | 'boolean' | 'category' | 'text'
  readonly min: number
  readonly max: number
  /** The values, where they are few. */
  readonly levels: readonly string[]
  /** Share of cells that are missing, and the texts that say so ('' is an empty cell). */
  readonly missing: number
  readonly markers: readonly string[]
  readonly part: Part
  /** Why it plays none. */
  readonly why: string
}

const MARKERS = new Set(['', 'na', 'n/a', 'nan', 'null', 'none', '?', '.', '-', 'missing', 'unknown'])
/** Numbers that often stand for "missing" where they lie far outside of the others. */
const SENTINELS = [-1, -9, -99, -999, -9999, 999, 9999, 99_999]
const MAX_LEVELS = 40
const TRUTH = new Set(['true', 'false', 'yes', 'no', 't', 'f', 'y', 'n'])

const ACTION = /^(action|arm|decision|choice|treatment|offer|variant)s?$/i
const REWARD =
  /^(rewards?|payoff|outcome|result|response|revenue|profit|sales?|spend|success|recovered|survived|cured|improved|bought|purchased?|clicks?|clicked|conver(sion|ted)|y|r)$/i
const PREDICTION = /(^pred(icted)?_)|(_(pred|hat|predicted|prediction|imputed)$)|^(prediction|g_?tilde)$/i
const INDEX = /(^|[_.\s-])(id|index|key|uuid|row|timestamp|time|date)$|^(id|index)$/i

export function guessColumns({ header, rows }: CsvTable): GuessedColumn[] {
  return header.map((name, column) =>
    guessColumn(
      name,
      rows.map((row) => row[column]!.trim()),
    ),
  )
}

function guessColumn(name: string, cells: readonly string[]): GuessedColumn {
  const counts = new Map<string, number>()
  for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1)
  const markers = new Set([...counts.keys()].filter((text) => MARKERS.has(text.toLowerCase())))
  const texts = () => [...counts.keys()].filter((text) => !markers.has(text))
  const numeric = texts().length > 0 && texts().every((text) => Number.isFinite(Number(text)))
  if (numeric) for (const marker of sentinelsOf(texts().map(Number))) markers.add(marker)
  const known = texts()
  const missing = [...markers].reduce((sum, marker) => sum + counts.get(marker)!, 0) / cells.length
  const numbers = numeric ? known.map(Number) : []
  const truth = known.length > 0 && known.length <= 2 && known.every((text) => TRUTH.has(text.toLowerCase()))
  const kind = truth ? 'boolean' : numeric ? 'number' : known.length <= MAX_LEVELS ? 'category' : 'text'
  const base = {
    name,
    kind,
    min: Math.min(...numbers, Number.POSITIVE_INFINITY),
    max: Math.max(...numbers, Number.NEGATIVE_INFINITY),
    levels: known.length <= MAX_LEVELS ? known.sort() : [],
    missing,
    markers: [...markers],
  } as const
  return { ...base, ...partOf(base, known.length) }
}

/** A sentinel lies apart from the other values by more than they spread. */
function sentinelsOf(numbers: readonly number[]): string[] {
  return SENTINELS.filter((one) => {
    if (!numbers.includes(one)) return false
    const others = numbers.filter((value) => value !== one)
    if (others.length < 2) return false
    const min = Math.min(...others)
    const max = Math.max(...others)
    const spread = Math.max(max - min, 1)
    return one < 0 ? min >= 0 : one > max + 2 * spread
  }).map(String)
}

function partOf(
  { name, kind, missing }: Pick<GuessedColumn, 'name' | 'kind' | 'missing'>,
  different: number,
): Pick<GuessedColumn, 'part' | 'why'> {
  const none = (why: string) => ({ part: 'none' as const, why })
  if (ACTION.test(name)) return { part: 'action', why: '' }
  if (REWARD.test(name) && (kind === 'number' || kind === 'boolean')) return { part: 'reward', why: '' }
  if (PREDICTION.test(name)) return { part: 'prediction', why: '' }
  if (INDEX.test(name)) return none('an id or a time')
  if (kind === 'text') return none(`text with ${different} different values`)
  if (different < 2) return none('always the same value')
  return { part: missing > 0 ? 'covariate' : 'context', why: '' }
}

/** The parts that no column has: a person must say which one, or that there is none. */
export function openQuestions(columns: readonly GuessedColumn[]): readonly ('action' | 'reward')[] {
  return (['action', 'reward'] as const).filter((part) => columns.every((column) => column.part !== part))
}

/** The draft of a problem from the columns and the parts that they play. */
export function draftFromColumns(name: string, columns: readonly GuessedColumn[]): Draft {
  const of = (part: Part) => columns.filter((column) => column.part === part)
  const feature = ({ name: column, kind, min, max, levels }: GuessedColumn) =>
    newFeature({
      name: nameOf(column),
      kind: kind === 'text' ? 'category' : kind,
      ...(kind === 'number' ? { min: String(min), max: String(max) } : {}),
      levels: kind === 'category' ? levelsText(levels) : '',
    })
  const [reward] = of('reward')
  const actions = of('action').flatMap(({ levels }) => levels)
  return newDraft({
    name: nameOf(name),
    context: of('context').map(feature),
    covariates: of('covariate').map((column) =>
      newCovariate({
        ...feature(column),
        model: of('prediction').length > 0 ? 'column' : 'constant',
        value: column.kind === 'number' ? middleOf(column) : (column.levels[0] ?? 'false'),
      }),
    ),
    actions: actions.join('\n'),
    ...(reward === undefined
      ? {}
      : {
          rewardMin: reward.kind === 'number' ? String(Math.min(0, reward.min)) : '0',
          rewardMax: reward.kind === 'number' ? String(reward.max) : '1',
        }),
  })
}

function middleOf({ min, max }: GuessedColumn): string {
  return String(Number(((min + max) / 2).toPrecision(3)))
}

/** Letters, digits, "_", "." and "-", at most 64. */
function nameOf(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
}
