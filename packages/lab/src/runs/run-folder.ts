// A run on disk: run.json (what is run) and rows.jsonl (a line per finished cell, written as they finish). A run that was
// killed is continued from the lines that are whole; when all cells are done the lines are put into cell order, so the file
// does not depend on how many workers there were or how often it was interrupted.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { PrimoError } from '@primo/numeric'
import { isCodeRef } from './code-ref.js'
import type { RunRow } from './run-row.js'
import { isData, type RunSpec, type Shard } from './run-spec.js'

/** What is run, as `run.json` keeps it. */
export interface RunFile {
  readonly format: 1
  readonly spec: RunSpec
  readonly shard: Shard | null
}

/** A cell's number and its row. */
export interface FinishedCell {
  readonly cell: number
  readonly row: RunRow
}

/** A run on disk, open for writing. */
export interface RunFolder {
  readonly path: string
  /** Cells that were finished before. */
  readonly finished: ReadonlyMap<number, RunRow>
  readonly append: (done: FinishedCell) => void
  /** Puts the lines into cell order. */
  readonly complete: (rows: readonly FinishedCell[]) => void
}

const RUN = 'run.json'
const ROWS = 'rows.jsonl'

/** What an interrupted start may leave. */
const LEFT_BEHIND = ['run.json.tmp']

function makeFolder(path: string): void {
  if (existsSync(path) && !statSync(path).isDirectory()) {
    throw new PrimoError('invalid-option', `folder must not be a file, got "${path}"`, {
      field: 'folder',
      value: path,
    })
  }
  mkdirSync(path, { recursive: true })
}

/** Opens a run on disk, to begin it or to go on where it stopped. */
export function openRunFolder(path: string, run: RunFile, options: { readonly fresh: boolean }): RunFolder {
  makeFolder(path)
  const runFile = join(path, RUN)
  const rowsFile = join(path, ROWS)
  const text = `${JSON.stringify(run)}\n`
  if (options.fresh) {
    rmSync(runFile, { force: true })
    rmSync(rowsFile, { force: true })
  }
  if (!isData(run.spec))
    throw new PrimoError(
      'invalid-option',
      'scenarios and policies of a run that is kept in a folder must be data or in module files, got objects with code',
      { field: 'folder', value: path },
    )
  if (existsSync(runFile) && readFileSync(runFile, 'utf8') !== text) {
    refuseChangedCode(path, JSON.parse(readFileSync(runFile, 'utf8')) as RunFile, run)
    throw new PrimoError(
      'invalid-option',
      `folder must be empty or hold the same run, got "${path}" with another one; choose another folder or set fresh`,
      { field: 'folder', value: path },
    )
  }
  if (!existsSync(runFile)) {
    const there = readdirSync(path).filter((name) => !LEFT_BEHIND.includes(name))
    if (there.length > 0 && !options.fresh) {
      throw new PrimoError(
        'invalid-option',
        `folder must be empty or hold a run, got "${path}" with "${there[0]}" in it; choose another folder or set fresh`,
        { field: 'folder', value: path },
      )
    }
    replaceFile(runFile, text)
  }
  const finished = existsSync(rowsFile) ? readWhole(rowsFile) : new Map<number, RunRow>()
  return {
    path,
    finished,
    append: (done) => appendFileSync(rowsFile, `${JSON.stringify(done)}\n`),
    complete: (rows) => {
      const sorted = [...rows].sort((a, b) => a.cell - b.cell)
      replaceFile(rowsFile, sorted.map((done) => `${JSON.stringify(done)}\n`).join(''))
    },
  }
}

/** Where nothing but the code has changed, says so. */
function refuseChangedCode(path: string, before: RunFile, now: RunFile): void {
  const without = (run: RunFile) =>
    JSON.stringify(run, (_, value) => (isCodeRef(value) ? { ...value, hash: null } : value))
  if (without(before) !== without(now)) return
  const refs = ({ spec }: RunFile) => [...spec.scenarios, ...spec.policies].filter(isCodeRef)
  const changed = refs(now).find(({ hash }, i) => hash !== refs(before)[i]!.hash)!
  throw new PrimoError(
    'invalid-option',
    `folder must hold a run by the same code, got "${path}" whose "${changed.file}" has changed since; choose another folder or set fresh`,
    { field: 'folder', value: path },
  )
}

/** Reads the whole lines and cuts off what a killed process left half-written. */
function readWhole(rowsFile: string): Map<number, RunRow> {
  const text = readFileSync(rowsFile, 'utf8')
  const end = text.lastIndexOf('\n') + 1
  if (end < text.length) truncateSync(rowsFile, Buffer.byteLength(text.slice(0, end)))
  return new Map(parseRows(text.slice(0, end)).map(({ cell, row }) => [cell, row]))
}

function parseRows(text: string): FinishedCell[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FinishedCell)
}

function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text)
  renameSync(`${path}.tmp`, path)
}

export interface StoredRun {
  readonly run: RunFile
  readonly rows: readonly FinishedCell[]
}

/** Reads a run on disk. */
export function readRunFolder(path: string): StoredRun {
  const runFile = join(path, RUN)
  if (!existsSync(runFile)) {
    throw new PrimoError('invalid-option', `a run folder must hold ${RUN}, got "${path}"`, { value: path })
  }
  const run = JSON.parse(readFileSync(runFile, 'utf8')) as RunFile
  const rowsFile = join(path, ROWS)
  const text = existsSync(rowsFile) ? readFileSync(rowsFile, 'utf8') : ''
  return { run, rows: parseRows(text.slice(0, text.lastIndexOf('\n') + 1)) }
}
