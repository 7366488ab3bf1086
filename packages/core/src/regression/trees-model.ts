// A fitted sum of trees: f(x) = start + sum_t tree_t(x). Nodes of all trees lie in flat lists; a node with feature -1 is a leaf.
// A row goes left where x <= threshold; a missing value (NaN) goes to the side that the fit chose.

import type { Predictor } from './regression.js'

export interface TreesModel {
  readonly kind: 'trees'
  readonly columns: number
  readonly start: number
  /** Node at which each tree begins. */
  readonly roots: readonly number[]
  readonly feature: readonly number[]
  /** Of an inner node: where it splits; of a leaf: its value. */
  readonly value: readonly number[]
  /** The left child; the right one follows it. 0 in a leaf. */
  readonly left: readonly number[]
  /** Of an inner node: 1 where a missing value goes left. */
  readonly missingLeft: readonly number[]
  /** Held-out loss by round where training stopped by it. */
  readonly heldOut: readonly number[]
  /** Sum of leverages of the trees as fitted, by a random probe; what was spent on choosing the splits is not in it. */
  readonly effectiveDimension: number
  readonly weight: number
}

export function compileTrees(model: TreesModel): Predictor {
  const { columns, start } = model
  const roots = Int32Array.from(model.roots)
  const feature = Int32Array.from(model.feature)
  const value = Float64Array.from(model.value)
  const left = Int32Array.from(model.left)
  const missingLeft = Uint8Array.from(model.missingLeft)
  const leafOf = (root: number, inputs: Float64Array, at: number) => {
    let node = root
    for (;;) {
      const column = feature[node]!
      if (column < 0) return value[node]!
      const x = inputs[at + column]!
      const next = left[node]!
      if (x <= value[node]!) node = next
      else if (x > value[node]!) node = next + 1
      else node = missingLeft[node] === 1 ? next : next + 1
    }
  }
  return {
    row: (inputs, at) => {
      let sum = start
      for (let t = 0; t < roots.length; t++) sum += leafOf(roots[t]!, inputs, at)
      return sum
    },
    table: (inputs, count, out) => {
      // Trees outside, rows inside: one tree's nodes stay close by.
      out.fill(start, 0, count)
      for (let t = 0; t < roots.length; t++) {
        const root = roots[t]!
        for (let i = 0, at = 0; i < count; i++, at += columns) out[i] = out[i]! + leafOf(root, inputs, at)
      }
    },
  }
}
