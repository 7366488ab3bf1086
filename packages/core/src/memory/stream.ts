// What is learnt from one stream of targets: rewards by action, or the errors of a pre-trained model. Each memory has a fit of its own
// rounds; the one in use has all columns and decides, the others have the columns that decide at present and are only weighed.

import { columnCount, compileColumns, type Group, type Unit } from '../model/columns.js'
import { type Fit, fitVariances, groupEvidence, type Variances } from '../model/fit.js'
import { LEAF_ROUNDS, type RowSums } from '../model/row-sums.js'
import { firstWeight, logLikelihood, renewStarts, type Start, startInUse, weighStarts } from './starts.js'

/** A memory with its fit. */
export interface StreamStart extends Start {
  /** null: it is too young to count. */
  readonly fit: StartFit | null
  /** By action: targets that came since it began, and sums of squared and of cubed errors of predictions made beforehand. */
  readonly rows: readonly number[]
  readonly squares: readonly number[]
  readonly cubes: readonly number[]
}

/** What weighing a memory takes. */
export interface StartFit extends Variances {
  readonly groups: readonly string[]
  readonly units: readonly Unit[]
  /** By action; the centre is part of the constant. */
  readonly means: readonly (readonly number[])[]
  /** By action: the mean variance of its predictions. */
  readonly widths: readonly number[]
  /** By action: rows fitted. */
  readonly rows: readonly number[]
}

export interface StreamState {
  readonly starts: readonly StreamStart[]
  readonly columns: ColumnChoice
  /** Targets weighed so far. */
  readonly seen: number
}

/** Units and groups of columns; all groups are tried again when the rows in use have doubled. */
export interface ColumnChoice {
  readonly units: readonly Unit[]
  readonly groups: readonly string[]
  /** Prior variance and log evidence of every group when it was tried. */
  readonly prior: Readonly<Record<string, number>>
  readonly evidence: Readonly<Record<string, number>>
  /** First round of the memory that they were tried on, and its rows. */
  readonly round: number
  readonly rows: number
}

/** Where a stream's rows come from. */
export interface Stream {
  readonly actions: number
  readonly groups: readonly Group[]
  readonly inputs: number
  /** Subtracted from targets since `from`: their mean, or nothing. */
  readonly centre: (from: number) => number
  /** Largest distance of an unseen target from the centre, for actions whose targets were all the same. */
  readonly farthest: (from: number) => number
  readonly unitsOfInputs: () => readonly Unit[]
  readonly sums: (units: readonly Unit[], groups: readonly Group[], from: number) => RowSums
  /** Kurtosis of the targets since `from`, where groups may be left out; null: all stay. */
  readonly kurtosis: ((from: number, centre: number) => number) | null
  /** Visits targets that are new, in the order in which they came. `row`: the inputs of the visited one. */
  readonly visitNew: (visit: (action: number, target: number) => void, row: StreamRow) => void
}

/** Inputs of one row, as compileColumns takes them. */
export interface StreamRow {
  readonly raw: Float64Array
  readonly missing: Float64Array
  readonly spread: Float64Array
}

export interface StreamFit {
  readonly fit: Fit
  readonly groups: readonly Group[]
  readonly columns: ColumnChoice
  readonly centre: number
  /** By action: rows fitted, and their weight. */
  readonly rows: readonly number[]
  readonly weights: readonly number[]
  readonly inUse: StreamStart
}

/** Rounds of a fit the first time and in use, and of one that is only weighed. */
const ROUNDS_IN_USE = 5
const ROUNDS_WEIGHED = 2
/** Growth of its rows after which a memory is fitted again. */
const GROWTH_IN_USE = 1.05
const GROWTH_WEIGHED = 1.2
/** Growth of the rows in use after which all groups of columns are tried again. */
const GROWTH_TRIED = 2

export interface StreamStep {
  readonly state: StreamState
  /** null: the fit in use stays. */
  readonly fit: StreamFit | null
}

/** What a stream knows after its new targets; null: it has none yet. `chosen`: memories are weighed, else all rounds are remembered. */
export function advanceStream(
  before: StreamState | null,
  stream: Stream,
  cut: number,
  chosen: boolean,
  growth = GROWTH_IN_USE,
): StreamStep | null {
  const weighed = weigh(before, stream)
  if (sum(weighed.starts[0]!.rows) === 0) return null
  const usedBefore = before === null ? 0 : before.starts[startInUse(before.starts)]!.round
  const starts = [
    ...(chosen ? renewStarts(weighed.starts, cut, (round) => freshStart(round, 0, stream.actions)) : weighed.starts),
  ]
  const used = startInUse(starts)
  const own = starts[used]!
  let columns = before?.columns ?? null
  let made: StreamFit | null = null
  if (own.round !== usedBefore || isDue(own, growth)) {
    if (columns === null || columns.round !== own.round || sum(own.rows) >= GROWTH_TRIED * columns.rows)
      columns = tryColumns(stream, own, columns)
    made = fitStart(stream, own, columns, ROUNDS_IN_USE)
    starts[used] = { ...own, fit: startFit(made) }
  }
  starts.forEach((start, m) => {
    if (m === used || cut - start.round < LEAF_ROUNDS || !isDue(start, GROWTH_WEIGHED)) return
    const fit = startFit(fitStart(stream, start, columns!, start.fit === null ? ROUNDS_IN_USE : ROUNDS_WEIGHED))
    const counting = starts.filter((one, k) => k > 0 && one.fit !== null).length
    const weight = start.fit === null && m > 0 ? firstWeight(weighed.seen, counting) : start.weight
    starts[m] = { ...start, fit, weight }
  })
  return { state: { starts, columns: columns!, seen: weighed.seen }, fit: made }
}

/** Its rows have grown, or some action has twice the rows that it had. */
function isDue({ fit, rows }: StreamStart, growth: number): boolean {
  if (fit === null) return sum(rows) > 0
  return (
    sum(rows) >= growth * sum(fit.rows) ||
    rows.some((own, a) => own > (fit.rows[a] ?? 0) && own >= 2 * (fit.rows[a] ?? 0))
  )
}

/** Which groups the rounds of a memory ask for: those whose evidence is above 0, and above the excess kurtosis of the targets. */
function tryColumns(stream: Stream, start: StreamStart, before: ColumnChoice | null): ColumnChoice {
  const { groups } = stream
  const units = stream.unitsOfInputs()
  const centre = stream.centre(start.round)
  const full = fitVariances({
    groups,
    sums: stream.sums(units, groups, start.round),
    centre,
    farthest: stream.farthest(start.round),
    before: before === null ? null : { prior: before.prior, noise: start.fit?.noise ?? [] },
    rounds: ROUNDS_IN_USE,
  })
  const evidence = groupEvidence(groups, full)
  const limit =
    stream.kurtosis === null ? Number.NEGATIVE_INFINITY : Math.max(0, stream.kurtosis(start.round, centre) - 3)
  return {
    units,
    // The constant and the inputs themselves stay.
    groups: groups.flatMap(({ name }, g) => (g < 2 || evidence[g]! >= limit ? [name] : [])),
    prior: full.prior,
    evidence: Object.fromEntries(groups.map(({ name }, g) => [name, evidence[g]!]).slice(2)),
    round: start.round,
    rows: sum(start.rows),
  }
}

function fitStart(stream: Stream, start: StreamStart, columns: ColumnChoice, rounds: number): StreamFit {
  const groups = stream.groups.filter(({ name }) => columns.groups.includes(name))
  const sums = stream.sums(columns.units, groups, start.round)
  const centre = stream.centre(start.round)
  const before = { prior: { ...columns.prior, ...start.fit?.prior }, noise: start.fit?.noise ?? [] }
  const fit = fitVariances({ groups, sums, centre, farthest: stream.farthest(start.round), before, rounds })
  const weights = sums.byAction.map((own) => own?.weight ?? 0)
  return { fit, groups, columns, centre, rows: start.rows, weights, inUse: start }
}

function startFit({ fit, groups, columns, centre, rows, weights }: StreamFit): StartFit {
  const means = fit.posteriors.map(({ mean }) => {
    const own = Array.from(mean)
    own[0] = own[0]! + centre
    return own
  })
  // Of a prediction that was not fitted to its target: s2 d / (n - d), d degrees of freedom of n rows.
  const widths = fit.posteriors.map(({ degreesOfFreedom: d, covariance }, a) =>
    weights[a]! > 0 ? (fit.noise[a]! * d) / Math.max(weights[a]! - d, 1e-3) : covariance[0]!,
  )
  const { units } = columns
  return { groups: groups.map(({ name }) => name), units, means, widths, prior: fit.prior, noise: fit.noise, rows }
}

/** Weights of the memories after the new targets, and the errors of each. */
function weigh(before: StreamState | null, stream: Stream): { starts: readonly StreamStart[]; seen: number } {
  const { starts, seen: weighed } = before ?? { starts: [freshStart(0, 1, stream.actions)], seen: 0 }
  const row: StreamRow = {
    raw: new Float64Array(stream.inputs + 1),
    missing: new Float64Array(stream.inputs),
    spread: new Float64Array(stream.inputs),
  }
  const raw = new Float64Array(stream.inputs + 1)
  const scorers = starts.map(({ fit }) => {
    if (fit === null) return null
    const groups = stream.groups.filter(({ name }) => fit.groups.includes(name))
    const phi = new Float64Array(columnCount({ groups }))
    const write = compileColumns({ units: fit.units, groups })
    const means = fit.means.map((own) => Float64Array.from(own))
    return (action: number) => {
      const mean = means[action]
      // An action that was added since.
      if (mean === undefined) return Number.NaN
      raw.set(row.raw)
      write(raw, row.missing, row.spread, phi, 0)
      let value = 0
      for (let k = 0; k < phi.length; k++) value += mean[k]! * phi[k]!
      return value
    }
  })
  const weights = Float64Array.from(starts, ({ weight }) => weight)
  const squares = starts.map((start) => padded(start.squares, stream.actions))
  const cubes = starts.map((start) => padded(start.cubes, stream.actions))
  const errors = new Float64Array(starts.length)
  const likelihoods = new Float64Array(starts.length)
  const rows = starts.map((start) => padded(start.rows, stream.actions))
  let seen = weighed
  stream.visitNew((action, target) => {
    let noise = 0
    starts.forEach(({ fit }, m) => {
      rows[m]![action] = rows[m]![action]! + 1
      errors[m] = target - (scorers[m]?.(action) ?? Number.NaN)
      if (Number.isNaN(errors[m])) return
      noise = Math.max(noise, fit!.noise[action]!)
      squares[m]![action] = squares[m]![action]! + errors[m]! ** 2
      cubes[m]![action] = cubes[m]![action]! + errors[m]! ** 3
    })
    starts.forEach(({ fit }, m) => {
      likelihoods[m] = Number.isNaN(errors[m]) ? Number.NaN : logLikelihood(errors[m]!, 0, noise + fit!.widths[action]!)
    })
    weighStarts(weights, likelihoods, seen)
    seen++
  }, row)
  return {
    seen,
    starts: starts.map((start, m) => ({
      ...start,
      weight: weights[m]!,
      rows: Array.from(rows[m]!),
      squares: Array.from(squares[m]!),
      cubes: Array.from(cubes[m]!),
    })),
  }
}

function padded(values: readonly number[], length: number): Float64Array {
  const out = new Float64Array(length)
  out.set(values)
  return out
}

function freshStart(round: number, weight: number, actions: number): StreamStart {
  const zeros = Array.from({ length: actions }, () => 0)
  return { round, weight, fit: null, rows: zeros, squares: zeros, cubes: zeros }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
