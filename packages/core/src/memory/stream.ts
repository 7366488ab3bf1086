// What is learnt from one stream of targets: rewards by action, or the errors of a pre-trained model. Each memory has a fit of its own
// rounds; the one in use has all columns and decides, the others have the columns that decide at present and are only weighed.

import type { Sums } from '@primo/numeric'
import { columnCount, compileColumns, type Group, type Unit } from '../model/columns.js'
import { type Fit, fitVariances, groupEvidence, type Variances, withoutGroups } from '../model/fit.js'
import type { RowSums } from '../model/row-sums.js'
import { firstWeight, logLikelihood, renewStarts, type Start, startInUse, weighStarts } from './starts.js'

/** A memory with its fit. */
export interface StreamStart extends Start {
  /** null: it is too young to count. */
  readonly fit: StartFit | null
  /** By action, sums of squared and of cubed errors of predictions made beforehand. */
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
  /** Inputs are in these units until their number of rows has doubled. */
  readonly units: readonly Unit[]
  readonly unitRows: number
  /** Targets weighed so far. */
  readonly seen: number
}

/** Where a stream's rows come from. */
export interface Stream {
  readonly actions: number
  readonly groups: readonly Group[]
  readonly inputs: number
  /** Rows of all memory, by action. */
  readonly rows: readonly number[]
  /** Subtracted from targets since `from`: their mean, or nothing. */
  readonly centre: (from: number) => number
  /** Largest distance of an unseen target from the centre, for actions whose targets were all the same. */
  readonly farthest: (from: number, centre: number) => number
  readonly unitsOfInputs: () => readonly Unit[]
  readonly sums: (units: readonly Unit[], from: number) => RowSums
  /** Kurtosis of the targets since `from`, where groups may be left out; null: all stay. */
  readonly kurtosis: ((from: number, centre: number) => number) | null
  /** Visits targets that are new, in the order in which they came. `raw`, `missing`, `spread`: the inputs of the visited one. */
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
  readonly units: readonly Unit[]
  readonly centre: number
  readonly evidence: Readonly<Record<string, number>>
  readonly rows: readonly number[]
  readonly inUse: StreamStart
}

/** Rounds of a fit the first time and in use, and of one that is only weighed. */
const ROUNDS_IN_USE = 5
const ROUNDS_WEIGHED = 2
/** Growth of its rows after which a memory is fitted again. */
const GROWTH_IN_USE = 1.05
const GROWTH_WEIGHED = 1.2

export interface StreamStep {
  readonly state: StreamState
  /** null: the fit in use stays. */
  readonly fit: StreamFit | null
}

/** `since`: the rows of the fit in use by action; null: there is none. */
export function advanceStream(
  before: StreamState | null,
  stream: Stream,
  cut: number,
  memory: boolean,
): StreamStep {
  const total = sum(stream.rows)
  const renew = before === null || total >= 2 * before.unitRows
  const units = renew ? stream.unitsOfInputs() : before.units
  const unitRows = renew ? total : before.unitRows
  const weighed = before === null ? { starts: [freshStart(0, 1, stream.actions)], seen: 0 } : weigh(before, stream)
  const usedBefore = weighed.starts[startInUse(before?.starts ?? weighed.starts)]!.round
  const renewed = memory
    ? renewStarts(weighed.starts, cut, (round) => freshStart(round, 0, stream.actions))
    : weighed.starts
  const used = startInUse(renewed)
  const starts = [...renewed]
  const sumsSince = (from: number) => stream.sums(units, from)

  let made: StreamFit | null = null
  const own = starts[used]!
  const ownSums = lazy(() => sumsSince(own.round))
  if (own.round !== usedBefore || isDue(own.fit, rowsSince(stream, own, starts[0]!, ownSums), GROWTH_IN_USE)) {
    made = fitInUse(stream, own, ownSums(), units)
    starts[used] = { ...own, fit: startFit(made) }
  }
  const columns = starts[used]!.fit
  if (columns === null) return { state: { starts, units, unitRows, seen: weighed.seen }, fit: null }
  starts.forEach((start, m) => {
    if (m === used || cut - start.round < 128) return
    const sums = sumsSince(start.round)
    if (!isDue(start.fit, sums.byAction.map(weightOf), GROWTH_WEIGHED)) return
    const fit = fitWeighed(stream, start, sums, units, columns.groups)
    const counting = starts.filter((one, k) => k > 0 && one.fit !== null).length
    const weight = start.fit === null && m > 0 ? firstWeight(weighed.seen, counting) : start.weight
    starts[m] = { ...start, fit, weight }
  })
  return { state: { starts, units, unitRows, seen: weighed.seen }, fit: made }
}

function rowsSince(stream: Stream, own: StreamStart, oldest: StreamStart, sums: () => RowSums): readonly number[] {
  return own.round === oldest.round ? stream.rows : sums().byAction.map(weightOf)
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Its rows have grown, or some action has twice the rows that it had. */
function isDue(fit: StartFit | null, rows: readonly number[], growth: number): boolean {
  if (fit === null) return true
  return sum(rows) >= growth * sum(fit.rows) || rows.some((own, a) => own >= 2 * (fit.rows[a] ?? 0) && own > 0 && own !== fit.rows[a])
}

function fitInUse(stream: Stream, start: StreamStart, sums: RowSums, units: readonly Unit[]): StreamFit {
  const { groups } = stream
  const centre = stream.centre(start.round)
  const input = {
    groups,
    sums,
    centre,
    farthest: stream.farthest(start.round, centre),
    before: start.fit,
    rounds: ROUNDS_IN_USE,
  }
  const full = fitVariances(input)
  const evidence = groupEvidence(groups, full)
  const limit = stream.kurtosis === null ? Number.NEGATIVE_INFINITY : Math.max(0, stream.kurtosis(start.round, centre) - 3)
  // The constant and the inputs themselves stay.
  const kept = groups.map((_, g) => g < 2 || evidence[g]! >= limit)
  return {
    fit: withoutGroups(input, full, kept),
    groups: groups.filter((_, g) => kept[g]!),
    units,
    centre,
    evidence: Object.fromEntries(groups.map(({ name }, g) => [name, evidence[g]!]).slice(2)),
    rows: sums.byAction.map(weightOf),
    inUse: start,
  }
}

function fitWeighed(
  stream: Stream,
  start: StreamStart,
  all: RowSums,
  units: readonly Unit[],
  names: readonly string[],
): StartFit {
  const groups = stream.groups.filter(({ name }) => names.includes(name))
  const sums = someColumns(all, stream.groups, names)
  const centre = stream.centre(start.round)
  const fit = fitVariances({
    groups,
    sums,
    centre,
    farthest: stream.farthest(start.round, centre),
    before: start.fit !== null && groups.every(({ name }) => start.fit!.prior[name] !== undefined) ? start.fit : null,
    rounds: start.fit === null ? ROUNDS_IN_USE : ROUNDS_WEIGHED,
  })
  const evidence = {}
  return startFit({ fit, groups, units, centre, evidence, rows: sums.byAction.map(weightOf), inUse: start })
}

function startFit({ fit, groups, units, centre, rows }: StreamFit): StartFit {
  const means = fit.posteriors.map(({ mean }) => {
    const own = Array.from(mean)
    own[0] = own[0]! + centre
    return own
  })
  // Of a prediction that was not fitted to its target: s2 d / (n - d), d degrees of freedom of n rows.
  const widths = fit.posteriors.map(({ degreesOfFreedom: d, covariance }, a) =>
    rows[a]! > 0 ? (fit.noise[a]! * d) / Math.max(rows[a]! - d, 1e-3) : covariance[0]!,
  )
  return { groups: groups.map(({ name }) => name), units, means, widths, prior: fit.prior, noise: fit.noise, rows }
}

/** Weights of the memories after the new targets, and the errors of each. */
function weigh(before: StreamState, stream: Stream): { starts: readonly StreamStart[]; seen: number } {
  const { starts } = before
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
  let seen = before.seen
  stream.visitNew((action, target) => {
    let noise = 0
    starts.forEach(({ fit }, m) => {
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
  return { round, weight, fit: null, squares: zeros, cubes: zeros }
}

/** The sums of the columns of some groups. */
function someColumns(all: RowSums, groups: readonly Group[], names: readonly string[]): RowSums {
  const places = groups.flatMap(({ name, terms }) => terms.map(() => names.includes(name)))
  const columns = Int32Array.from(places.flatMap((keep, k) => (keep ? [k] : [])))
  if (columns.length === all.columns) return all
  const n = columns.length
  const from = all.columns + 1
  const width = n + 1
  return {
    columns: n,
    byAction: all.byAction.map((sums): Sums | null => {
      if (sums === null) return null
      const gram = new Float64Array(width * width)
      for (let i = 0; i <= n; i++) {
        const row = (i < n ? columns[i]! : all.columns) * from
        for (let j = i; j <= n; j++) gram[i * width + j] = sums.gram[row + (j < n ? columns[j]! : all.columns)]!
      }
      return { columns: n, count: sums.count, weight: sums.weight, gram }
    }),
  }
}

function weightOf(sums: Sums | null): number {
  return sums?.weight ?? 0
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
