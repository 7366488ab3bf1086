// A learner as JSON: format version, fingerprint of its problem, options, seed, what was learnt, and the rounds in columns
// (base64 of little-endian arrays). Restoring checks all of it before anything is built.

import { type ClassCorrection, classAdder } from '../calibration/class-correction.js'
import { correctionBasis, isCorrectionClass } from '../calibration/correction-basis.js'
import { isMonotoneMap } from '../calibration/monotone-map.js'
import { fromBase64, toBase64 } from '../data/base64.js'
import {
  membersOf,
  modelSdOf,
  Observed,
  type RoundBlock,
  RoundStatus,
  RoundTable,
  reasonsOf,
  type TableShape,
} from '../data/round-table.js'
import { deepFreeze, type EpochState } from '../epoch/epoch-state.js'
import { PrimoError, show } from '../errors.js'
import { BLOCK_ROUNDS } from '../numeric/sums.js'
import type { Oracle, RewardModel } from '../oracle/oracle.js'
import { type Engine, type EngineOptions, layerInUse } from './engine.js'

export const SNAPSHOT_FORMAT = 1

export interface RoundsSnapshot {
  readonly count: number
  readonly columns: Readonly<Record<string, string>>
}

export interface Snapshot {
  readonly format: number
  readonly problem: string
  readonly options: EngineOptions
  readonly seed: number
  readonly state: EpochState
  /** Ids that are not the number of the round: [id, round counted from 0]. */
  readonly ids: readonly (readonly [string, number])[]
  readonly rounds: RoundsSnapshot
}

type ColumnName = Exclude<keyof RoundBlock, 'index'>
type Column = Float64Array | Uint8Array | Uint16Array

/** Values per round of each column. */
function columnWidths(shape: TableShape): Readonly<Record<ColumnName, number>> {
  return {
    context: shape.contextWidth,
    covariates: shape.covariateWidth,
    pretrained: shape.covariateWidth,
    observed: shape.covariateCount,
    action: 1,
    propensity: 1,
    reward: 1,
    arrivals: 1,
    status: 1,
    members: shape.memberWidth ?? 0,
    modelSd: shape.covariateCount,
    reasons: shape.covariateCount,
    revealed: shape.covariateWidth,
  }
}

export function packRounds(table: RoundTable): RoundsSnapshot {
  const columns: Record<string, string> = {}
  for (const [name, width] of Object.entries(columnWidths(table.shape)) as [ColumnName, number][]) {
    const anyBlock = table.blocks.find((block) => block[name] !== null)
    if (anyBlock === undefined || width === 0) continue
    const sample = anyBlock[name]!
    const all = newArray(sample, table.count * width)
    if (name === 'modelSd') all.fill(Number.NaN)
    table.blocks.forEach((block, index) => {
      const source = block[name]
      const rows = Math.min(BLOCK_ROUNDS, table.count - index * BLOCK_ROUNDS)
      if (source !== null) all.set(source.subarray(0, rows * width), index * BLOCK_ROUNDS * width)
    })
    columns[name] = toBase64(all)
  }
  return { count: table.count, columns }
}

function newArray(like: Column, length: number): Column {
  if (like instanceof Float64Array) return new Float64Array(length)
  return like instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length)
}

/** Whether a column may hold this value: codes have a largest one, and only a prediction may be absent (NaN). */
function isLegal(name: ColumnName, value: number, engine: Engine): boolean {
  if (name === 'action') return value < engine.encoding.actions.length
  if (name === 'status') return value <= RoundStatus.voided
  if (name === 'observed') return value <= Observed.audited
  if (name === 'modelSd') return Number.isNaN(value) || (value >= 0 && Number.isFinite(value))
  return name === 'pretrained' || name === 'members' || Number.isFinite(value)
}

/** Columns that are only there once something was written to them. */
const OPTIONAL: readonly ColumnName[] = ['revealed', 'members', 'modelSd', 'reasons']

export function unpackRounds(snapshot: RoundsSnapshot, engine: Engine): RoundTable {
  const table = new RoundTable(engine.shape)
  const { count } = snapshot
  const sample = new RoundTable(engine.shape)
  sample.append()
  for (const [name, width] of Object.entries(columnWidths(engine.shape)) as [ColumnName, number][]) {
    const text: unknown = Object.hasOwn(snapshot.columns, name) ? snapshot.columns[name] : undefined
    // No truth was revealed, nothing was said aside, or the column has no values at all.
    if (text === undefined && (OPTIONAL.includes(name) || width * count === 0)) continue
    const like = sample.blocks[0]![name] ?? (name === 'reasons' ? new Uint8Array(0) : new Float64Array(0))
    const bytes = typeof text === 'string' ? fromBase64(text) : null
    if (bytes === null) throw invalid(`rounds.columns.${name}`, 'base64 text', text)
    const expected = count * width * like.BYTES_PER_ELEMENT
    if (bytes.length !== expected) throw invalid(`rounds.columns.${name}`, `of ${expected} bytes`, bytes.length)
    const values = newArray(like, count * width)
    new Uint8Array(values.buffer).set(bytes)
    const wrong = values.find((value) => !isLegal(name, value, engine))
    if (wrong !== undefined) throw invalid(`rounds.columns.${name}`, 'of values that rounds can have', wrong)
    while (table.count < count) table.append()
    for (const block of table.blocks) {
      if (name === 'revealed') block.revealed = new Float64Array(BLOCK_ROUNDS * width)
      if (name === 'members') membersOf(block, engine.shape)
      if (name === 'modelSd') modelSdOf(block, engine.shape)
      if (name === 'reasons') reasonsOf(block, engine.shape)
      const from = block.index * BLOCK_ROUNDS * width
      block[name]!.set(values.subarray(from, from + BLOCK_ROUNDS * width))
    }
  }
  return table
}

/** What was learnt, as a frozen copy: the caller keeps its own. */
export function restoreState(snapshot: Snapshot, engine: Engine): EpochState {
  const state = JSON.parse(JSON.stringify(snapshot.state)) as EpochState
  for (const field of [
    'epoch',
    'start',
    'version',
    'rows',
    'rowsBefore',
    'calibratedRows',
    'imputationVersion',
  ] as const) {
    const least = field === 'epoch' ? 1 : 0
    const value: unknown = state[field]
    if (!isCount(value) || value < least) throw invalid(`state.${field}`, `a whole number >= ${least}`, value)
  }
  if (state.start > snapshot.rounds.count)
    throw invalid('state.start', `at most the ${snapshot.rounds.count} rounds`, state.start)
  if (!(Number.isFinite(state.gamma) && state.gamma >= 0)) throw invalid('state.gamma', '>= 0', state.gamma)
  if (!Array.isArray(state.reports)) throw invalid('state.reports', 'a list', state.reports)
  const { covariates } = engine.encoding
  if (!Array.isArray(state.corrections) || state.corrections.length !== covariates.length)
    throw invalid('state.corrections', `a list of ${covariates.length}`, state.corrections)
  state.corrections.forEach((model: unknown, which) => {
    const { name, width } = covariates[which]!
    if (model !== null && !isCovariateModel(model, width, engine))
      throw invalid('state.corrections', `null or a model of ${name} in finite numbers`, model)
  })
  const { ensembles, models } = state
  if (models !== undefined && !areModels(models, engine))
    throw invalid('state.models', 'the models of the covariates with the round they began at', models)
  if (ensembles !== undefined && !areWeights(ensembles, engine))
    throw invalid('state.ensembles', 'weights of the members of every ensemble', ensembles)
  // Snapshots from before there were layers have none.
  const layers: unknown = state.layers ?? null
  Object.assign(state, { layers })
  if (layers !== null && !isLayerState(layers, engine))
    throw invalid('state.layers', 'null or models of the layers that compete', layers)
  const { oracle } = layerInUse(engine, state) ?? engine
  if (state.rewardModel !== null && !compiles(state.rewardModel, engine, oracle))
    throw invalid('state.rewardModel', `a ${engine.oracle.kind} model of the problem`, state.rewardModel)
  return deepFreeze(state)
}

function isCovariateModel(model: unknown, width: number, { encoding }: Engine): boolean {
  if (!isRecord(model)) return false
  if (model.kind === 'constant') return isMatrix([model.values], 1, width)
  if (model.kind === 'class-correction') return isClassCorrection(model, width, encoding.context)
  const kind = model.class
  if (model.kind !== 'correction' || !isCorrectionClass(kind)) return false
  for (const map of [model.map, ...((model.mapByFold as unknown[] | undefined) ?? [])])
    if (map !== undefined && !isMonotoneMap(map)) return false
  if (model.bySd !== undefined && !(isRecord(model.bySd) && isFiniteData(model.bySd))) return false
  const lists = [model.moments, model.points, model.joint, model.logVariance].filter((list) => list !== undefined)
  if (model.byFold !== undefined && !(Array.isArray(model.byFold) && model.byFold.every(Array.isArray))) return false
  for (const columns of [model.beforeAudit ?? [], ...((model.byFold as unknown[] | undefined) ?? [])]) {
    if (!Array.isArray(columns)) return false
    lists.push(...columns)
  }
  if (!lists.every((list) => Array.isArray(list) && list.every(Number.isFinite))) return false
  return isMatrix(model.coefficients, width, correctionBasis(kind, encoding.context).columns)
}

/** Fitted models of function classes are checked as data: finite numbers throughout, and that they compile. */
function isClassCorrection(
  model: Record<string, unknown>,
  width: number,
  context: Engine['encoding']['context'],
): boolean {
  if (!isFiniteData(model) || !Array.isArray(model.parts) || model.parts.length !== width) return false
  try {
    classAdder(model as unknown as ClassCorrection, context)
    return true
  } catch {
    return false
  }
}

function isFiniteData(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value === null || typeof value !== 'object') return true
  return Object.values(value).every(isFiniteData)
}

function areModels(given: unknown, { imputers }: Engine): boolean {
  if (!Array.isArray(given) || given.length !== imputers.length) return false
  return given.every((model) => isRecord(model) && typeof model.fingerprint === 'string' && isCount(model.since))
}

function areWeights(given: unknown, { ensembles }: Engine): boolean {
  if (!Array.isArray(given) || given.length !== ensembles.length) return false
  return ensembles.every((layout, which) =>
    layout === null
      ? given[which] === null
      : isMatrix([given[which]], 1, layout.names.length) && (given[which] as number[]).every((value) => value >= 0),
  )
}

function isLayerState(given: unknown, engine: Engine): boolean {
  if (!isRecord(given) || engine.layers === null) return false
  const { chosen, models, losses, weight } = given
  if (!engine.layers.some(({ name }) => name === chosen) || !Number.isFinite(weight)) return false
  if (!isMatrix([losses], 1, engine.layers.length) || !Array.isArray(models)) return false
  return engine.layers.every(({ oracle }, index) => compiles(models[index], engine, oracle))
}

function compiles(model: unknown, { encoding }: Engine, oracle: Oracle): boolean {
  const actions = encoding.actions.length
  if (!isRecord(model) || model.kind !== oracle.kind) return false
  if (!isMatrix([model.degreesOfFreedom], 1, actions)) return false
  if (oracle.kind === 'linear' && !isMatrix(model.coefficients, actions, oracle.dimension / actions)) return false
  if (oracle.kind !== 'linear' && !isFiniteData(model)) return false
  try {
    oracle.compile(model as unknown as RewardModel)
    return true
  } catch {
    return false
  }
}

export function restoreIds(snapshot: Snapshot): Map<string, number> {
  if (!Array.isArray(snapshot.ids)) throw invalid('ids', 'a list of [id, round]', snapshot.ids)
  const ids = new Map<string, number>()
  const rounds = new Set<number>()
  for (const entry of snapshot.ids as readonly unknown[]) {
    const [id, round] = Array.isArray(entry) ? (entry as unknown[]) : []
    const known = isCount(round) && round < snapshot.rounds.count && !rounds.has(round)
    if (typeof id !== 'string' || id === '' || ids.has(id) || !known)
      throw invalid('ids', 'of distinct decided rounds', Array.isArray(entry) ? entry.map(show).join(', ') : entry)
    ids.set(id, round)
    rounds.add(round)
  }
  return ids
}

export function checkSnapshot(snapshot: unknown, fingerprint: string): Snapshot {
  if (!isRecord(snapshot)) throw new PrimoError('snapshot-invalid', `snapshot must be an object, got ${show(snapshot)}`)
  const given = snapshot as Partial<Snapshot>
  const { format } = given
  if (!isCount(format) || format < 1) throw invalid('format', 'a whole number >= 1', format)
  if (format > SNAPSHOT_FORMAT) {
    throw new PrimoError('snapshot-too-new', `snapshot.format must be at most ${SNAPSHOT_FORMAT}, got ${format}`, {
      format,
    })
  }
  if (given.problem !== fingerprint) {
    throw new PrimoError(
      'snapshot-mismatch',
      `snapshot.problem must be that of the same problem (${fingerprint}), got ${show(given.problem)}`,
      {
        expected: fingerprint,
        problem: given.problem,
      },
    )
  }
  if (!isRecord(given.options)) throw invalid('options', 'an object', given.options)
  if (!isCount(given.seed)) throw invalid('seed', 'a whole number >= 0', given.seed)
  if (!isRecord(given.state)) throw invalid('state', 'an object', given.state)
  if (!isRecord(given.rounds)) throw invalid('rounds', 'an object', given.rounds)
  const { count, columns } = given.rounds as Partial<RoundsSnapshot>
  if (!isCount(count)) throw invalid('rounds.count', 'a whole number >= 0', count)
  if (!isRecord(columns)) throw invalid('rounds.columns', 'an object', columns)
  return given as Snapshot
}

function invalid(field: string, rule: string, value: unknown): PrimoError {
  return new PrimoError('snapshot-invalid', `snapshot.${field} must be ${rule}, got ${show(value)}`, { field })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isMatrix(value: unknown, rows: number, columns: number): boolean {
  if (!Array.isArray(value) || value.length !== rows) return false
  return value.every((row) => Array.isArray(row) && row.length === columns && row.every(Number.isFinite))
}
