// What the columns of a correction are made of: the context alone (the paper), or g~ and then the context. With g~ among them every
// class can put g~ on another scale: bias is 1, g~; linear 1, g~, x; cubic has a curve in g~, rich also the products of g~ and x.
// A pre-trained model that saw more than the context (a text, an image, another table) needs that: no h(x) can rescale it. With g~ among
// them, inputs that fill a small part of their declared ranges are taken in units of what was seen: in declared ones nothing would bend.

import { type ColumnScale, inScale } from '../oracle/column-scale.js'
import type { EncodedFeature } from '../problem/encoding.js'
import { type CorrectionBasis, type CorrectionClass, correctionBasis } from './correction-basis.js'

export type CorrectionInput = 'context' | 'both'

/** A basis over input rows: the context, or the columns of g~ followed by it. */
export interface InputBasis extends CorrectionBasis {
  readonly input: CorrectionInput
  /** By input, what is taken for its value; absent: all as they are declared. */
  readonly scale?: readonly ColumnScale[]
  readonly inputWidth: number
  /** Columns of g~ in front of the context. */
  readonly own: number
  /** Per column of B: 1 where g~ is part of it. */
  readonly ofPrediction: Uint8Array
  /** Writes the input row of the context at x[at] and the predictions at g[from] to out[to ...]. */
  readonly gather: (x: Float64Array, at: number, g: Float64Array, from: number, out: Float64Array, to: number) => void
  /** Writes B of the context at x[at] and the predictions at g[from] to out[to ...]. */
  readonly expandAt: (x: Float64Array, at: number, g: Float64Array, from: number, out: Float64Array, to: number) => void
}

/** By context, which is one object for as long as a problem lives. */
const kept = new WeakMap<readonly EncodedFeature[], Map<string, InputBasis>>()

/** `predictions`: columns of the covariate; `scale`: of the inputs, where g~ is one of them. */
export function inputBasis(
  kind: CorrectionClass,
  input: CorrectionInput,
  context: readonly EncodedFeature[],
  predictions: number,
  scale?: readonly ColumnScale[],
): InputBasis {
  const bases = kept.get(context) ?? new Map<string, InputBasis>()
  kept.set(context, bases)
  const seen = input === 'both' ? scale : undefined
  const name = `${kind}/${input}/${predictions}/${scaleName(seen)}`
  const basis = bases.get(name) ?? madeBasis(kind, input, context, predictions, seen)
  bases.set(name, basis)
  return basis
}

/** The basis of each class, over the same inputs. */
export type BasisByClass = (kind: CorrectionClass) => InputBasis

/** Equal for equal scales. */
export function scaleName(scale: readonly ColumnScale[] | undefined): string {
  return scale === undefined ? '' : scale.map(({ centre, unit }) => `${centre}*${unit}`).join()
}

/** Whether each input is a number, in units of its own; the constant before them is none. */
export function numericInputs({ own }: InputBasis, context: readonly EncodedFeature[]): readonly boolean[] {
  const ofContext = context.flatMap(({ feature, width }) =>
    Array.from({ length: width }, () => feature.type === 'number'),
  )
  return [false, ...Array.from({ length: own }, () => own === 1), ...ofContext]
}

function madeBasis(
  kind: CorrectionClass,
  input: CorrectionInput,
  context: readonly EncodedFeature[],
  predictions: number,
  scale: readonly ColumnScale[] | undefined,
): InputBasis {
  const own = input === 'both' ? predictions : 0
  const width = context.reduce((sum, feature) => sum + feature.width, 0)
  const inputWidth = own + width
  const basis = own === 0 ? correctionBasis(kind, context) : overBoth(kind, context, own, inputWidth)
  const gather: InputBasis['gather'] = (x, at, g, from, out, to) => {
    for (let k = 0; k < own; k++) out[to + k] = g[from + k]!
    for (let k = 0; k < width; k++) out[to + own + k] = x[at + k]!
    if (scale !== undefined) for (let k = 0; k < inputWidth; k++) out[to + k] = inScale(out[to + k]!, scale[k]!)
  }
  const row = new Float64Array(inputWidth)
  const expandAt: InputBasis['expandAt'] = (x, at, g, from, out, to) => {
    gather(x, at, g, from, row, 0)
    basis.expand(row, 0, out, to)
  }
  return {
    ...basis,
    input,
    ...(scale === undefined ? {} : { scale }),
    inputWidth,
    own,
    ofPrediction: changedBy(own, inputWidth, basis),
    gather,
    expandAt: own === 0 ? (x, at, _g, _from, out, to) => basis.expand(x, at, out, to) : expandAt,
  }
}

/** Columns of B that change when the first `own` of an input row do. */
function changedBy(own: number, inputWidth: number, { columns, expand }: CorrectionBasis): Uint8Array {
  const [before, after] = [new Float64Array(columns), new Float64Array(columns)]
  const row = new Float64Array(inputWidth).fill(0.5)
  expand(row, 0, before, 0)
  expand(row.fill(0.25, 0, own), 0, after, 0)
  return Uint8Array.from(before, (value, k) => (value === after[k] ? 0 : 1))
}

function overBoth(
  kind: CorrectionClass,
  context: readonly EncodedFeature[],
  own: number,
  inputWidth: number,
): CorrectionBasis {
  // A number and a probability may bend; the probabilities of a category's levels have no powers, as its columns have none.
  const feature: EncodedFeature['feature'] =
    own === 1 ? { type: 'number', min: -1, max: 1 } : { type: 'category', levels: [] }
  const prediction: EncodedFeature = { name: 'prediction', field: 'predictions', feature, at: 0, width: own }
  const behind = context.map((one) => ({ ...one, at: one.at + own }))
  if (kind !== 'bias') return correctionBasis(kind, [prediction, ...behind])
  const { expand, columns } = correctionBasis('linear', [prediction])
  return {
    kind,
    columns,
    expand,
    expandRows: (x, at, count, out, to, stride) => {
      for (let row = 0; row < count; row++) expand(x, at + row * inputWidth, out, to + row * stride)
    },
  }
}
