// Checks of what is given to a regression, and the usual rearrangements of rows.

import type { Random } from '@primo/numeric'
import { ContentHash, PrimoError, sortOrder } from '@primo/numeric'
import type { RegressionRows } from './regression.js'

/**
 * Checks shapes and values; returns the rows of positive weight (the same object where all are). With `finite` false whoever
 * asks sees to it that inputs which are no numbers are found.
 */
export function checkedRows(rows: RegressionRows, takesMissing = false, finite = true): RegressionRows {
  const { columns, count, inputs, targets, weights } = rows
  if (inputs.length < count * columns || targets.length < count || (weights !== null && weights.length < count)) {
    throw new PrimoError(
      'shape-mismatch',
      `rows must have ${count} x ${columns} inputs, ${count} targets and as many weights, got ${inputs.length}, ${targets.length} and ${weights?.length ?? 'none'}`,
      { count, columns },
    )
  }
  let positive = 0
  for (let i = 0; i < count; i++) {
    if (!Number.isFinite(targets[i])) notFinite(`target of row ${i}`, targets[i]!)
    const weight = weights === null ? 1 : weights[i]!
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) notFinite(`weight of row ${i}`, weight, 'a number >= 0')
    if (weight > 0) positive++
  }
  if (count > 0 && positive === 0) degenerate('rows must have a positive weight, got only weights 0', { count })
  if (positive < 2) degenerate(`rows must be two or more, got ${positive}`, { count: positive })
  const kept = positive === count ? rows : positiveRows(rows, positive)
  if (!(allVarying(kept) && (!finite || allFinite(kept))))
    for (let k = 0; k < columns; k++) checkColumn(kept, k, takesMissing)
  return kept
}

/** Where it fails, the columns are looked at one by one to say why. */
function allVarying({ columns, count, inputs }: RegressionRows): boolean {
  const varies = new Uint8Array(columns)
  let constant = columns
  for (let row = 1; row < count && constant > 0; row++) {
    for (let k = 0, at = row * columns; k < columns; k++) {
      if (varies[k] === 0 && inputs[at + k] !== inputs[k]) {
        varies[k] = 1
        constant--
      }
    }
  }
  return constant === 0
}

function allFinite({ columns, count, inputs }: RegressionRows): boolean {
  // Zero times a number is zero, unless it is none.
  let [a, b] = [0, 0]
  const length = count * columns
  for (let i = 0; i + 2 <= length; i += 2) {
    a += inputs[i]! * 0
    b += inputs[i + 1]! * 0
  }
  if (length > 0) a += inputs[length - 1]! * 0
  return a + b === 0
}

function checkColumn({ columns, count, inputs }: RegressionRows, column: number, takesMissing: boolean): void {
  let first = Number.NaN
  let varies = false
  let missing = 0
  for (let i = 0, at = column; i < count; i++, at += columns) {
    const value = inputs[at]!
    if (!Number.isFinite(value)) {
      if (!takesMissing || !Number.isNaN(value)) {
        const rule = takesMissing ? 'a finite number or NaN' : 'a finite number'
        notFinite(`column ${column} of row ${i}`, value, rule)
      }
      missing++
      continue
    }
    if (Number.isNaN(first)) first = value
    else if (value !== first) varies = true
  }
  // A column that is sometimes missing says something even where its value never changes.
  if (!varies && (missing === 0 || missing === count))
    degenerate(`column ${column} must vary, got ${missing === count ? 'NaN' : first} in every row`, { column })
}

function notFinite(what: string, value: number, rule = 'a finite number'): never {
  throw new PrimoError('not-finite', `${what} must be ${rule}, got ${value}`, { value })
}

function degenerate(sentence: string, facts: Readonly<Record<string, unknown>>): never {
  throw new PrimoError('degenerate-rows', sentence, facts)
}

function positiveRows(rows: RegressionRows, positive: number): RegressionRows {
  const indexes = new Uint32Array(positive)
  let next = 0
  for (let i = 0; i < rows.count; i++) if (rows.weights![i]! > 0) indexes[next++] = i
  return rowsAt(rows, indexes)
}

/** The rows with these indexes, in their order. */
export function rowsAt(rows: RegressionRows, indexes: Uint32Array): RegressionRows {
  const { columns } = rows
  const inputs = new Float64Array(indexes.length * columns)
  const targets = new Float64Array(indexes.length)
  const weights = rows.weights === null ? null : new Float64Array(indexes.length)
  const { importance } = rows
  for (let i = 0, to = 0; i < indexes.length; i++) {
    const row = indexes[i]!
    for (let k = 0, at = row * columns; k < columns; k++) inputs[to++] = rows.inputs[at++]!
    targets[i] = rows.targets[row]!
    if (weights !== null) weights[i] = rows.weights![row]!
  }
  return {
    ...rows,
    count: indexes.length,
    inputs,
    targets,
    weights,
    ...(importance === undefined ? {} : { importance: valuesAt(importance, indexes) }),
  }
}

function valuesAt(values: Float64Array, indexes: Uint32Array): Float64Array {
  return Float64Array.from(indexes, (row) => values[row]!)
}

/** Total weight and weighted mean of the targets. */
export function targetMean({ count, targets, weights }: RegressionRows): { weight: number; mean: number } {
  let weight = 0
  let sum = 0
  for (let i = 0; i < count; i++) {
    const w = weights === null ? 1 : weights[i]!
    weight += w
    sum += w * targets[i]!
  }
  return { weight, mean: weight > 0 ? sum / weight : 0 }
}

/** A hash of each row's inputs and target. */
export function rowHashes({ columns, count, inputs, targets }: RegressionRows, random: Random): Float64Array {
  const hash = new ContentHash(random.key[0] ^ random.key[1])
  const out = new Float64Array(count)
  for (let i = 0, at = 0; i < count; i++) {
    hash.begin()
    for (let k = 0; k < columns; k++) hash.add(inputs[at++]!)
    hash.add(targets[i]!)
    out[i] = hash.value()
  }
  return out
}

/** The fold 0 ... folds - 1 of each row, a function of what it says. */
export function rowFolds(rows: RegressionRows, folds: number, random: Random): Uint8Array {
  return Uint8Array.from(rowHashes(rows, random), (hash) => hash % folds)
}

/**
 * The rows in an order that depends on what they say alone, equal ones made one with the sum of their weights: whatever is
 * computed from them has the same bits for any order given.
 */
export function canonicalRows(rows: RegressionRows, random: Random): RegressionRows {
  const { columns, inputs, targets, weights } = rows
  const hashes = rowHashes(rows, random)
  const order = sortOrder(hashes)
  const kept: number[] = []
  const total: number[] = []
  for (const row of order) {
    const before = kept.at(-1)
    const weight = weights === null ? 1 : weights[row]!
    if (before !== undefined && hashes[before] === hashes[row] && sameRow(inputs, targets, columns, before, row))
      total[total.length - 1] = total.at(-1)! + weight
    else {
      kept.push(row)
      total.push(weight)
    }
  }
  const ones = total.every((weight) => weight === 1)
  return {
    ...rowsAt({ ...rows, weights: null }, Uint32Array.from(kept)),
    weights: ones ? null : Float64Array.from(total),
  }
}

function sameRow(inputs: Float64Array, targets: Float64Array, columns: number, a: number, b: number): boolean {
  if (targets[a] !== targets[b]) return false
  for (let k = 0; k < columns; k++) if (inputs[a * columns + k] !== inputs[b * columns + k]) return false
  return true
}

/** At most `most` distinct rows of inputs, chosen by hash: a uniform sample that does not depend on the order. */
export function sampleInputs(rows: RegressionRows, most: number, random: Random): Float64Array {
  const { columns, count, inputs } = rows
  const hash = new ContentHash(random.key[0] ^ random.key[1])
  const hashes = new Float64Array(count)
  for (let i = 0; i < count; i++) hashes[i] = hash.of(inputs, i * columns, columns)
  const chosen: number[] = []
  let last = Number.NaN
  for (const row of sortOrder(hashes)) {
    if (hashes[row] === last) continue
    last = hashes[row]!
    chosen.push(row)
    if (chosen.length === most) break
  }
  const out = new Float64Array(chosen.length * columns)
  chosen.forEach((row, i) => {
    out.set(inputs.subarray(row * columns, (row + 1) * columns), i * columns)
  })
  return out
}
