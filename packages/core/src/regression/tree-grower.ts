// One least squares tree on binned columns, grown leaf by leaf where the gain is largest (best-split.ts). With residuals r and
// weights w of a node, value = sum w r / (sum w + ridge). Of two children the smaller one's histogram is summed, the larger one's
// is the parent's less the smaller's. Buffers are kept from tree to tree.

import { bestSplit, type LeafRules, type Split } from './best-split.js'
import type { BinnedColumns } from './tree-bins.js'
import { addProductsToBins, addRowsToBins, type BinnedRows, SPAN } from './tree-histogram.js'

export interface TreeSettings extends LeafRules {
  readonly leaves: number
  /** Whether all trees are grown with the same weights. */
  readonly weightsStay: boolean
}

/** Lists of nodes that trees are appended to; see TreesModel. */
export interface TreeNodes {
  readonly feature: number[]
  readonly value: number[]
  readonly left: number[]
  readonly missingLeft: number[]
}

/** A leaf of the tree grown last: its rows are rows[from ... to). */
export interface Leaf {
  readonly node: number
  readonly from: number
  readonly to: number
  readonly sum: number
  readonly weight: number
}

interface OpenLeaf extends Leaf {
  readonly histogram: Float64Array | null
  readonly split: Split | null
}

export class TreeGrower {
  /** Rows in the order of the leaves. */
  readonly rows: Int32Array
  readonly #training: Int32Array
  readonly #spare: Int32Array
  readonly #columns: BinnedColumns
  readonly #count: number
  readonly #settings: TreeSettings
  readonly #pool: Float64Array[] = []
  #rootWeights: Float64Array | null = null
  /** What the tree in hand is grown on. */
  #binned: BinnedRows

  /** `training` are the rows that trees are grown on, of `count` in all. */
  constructor(columns: BinnedColumns, count: number, training: Int32Array, settings: TreeSettings) {
    this.#columns = columns
    this.#count = count
    this.#settings = settings
    this.rows = Int32Array.from(training)
    this.#training = training
    this.#spare = new Int32Array(training.length)
    this.#binned = {
      columns,
      count,
      rows: this.rows,
      products: new Float64Array(0),
      weights: null,
      ordered: new Float64Array(training.length),
    }
  }

  /** Appends a tree with unscaled leaf values; `leastGain` is what a split must bring. */
  grow(products: Float64Array, weights: Float64Array | null, nodes: TreeNodes, leastGain: number): readonly Leaf[] {
    this.#binned = { ...this.#binned, products, weights }
    // In increasing order again: every pass of this tree then runs through memory one way.
    this.rows.set(this.#training)
    const { leaves: most, ridge } = this.#settings
    const root = addNode(nodes)
    const open: OpenLeaf[] = [this.#rootLeaf(root, leastGain)]
    while (open.length < most) {
      let best = -1
      for (let k = 0; k < open.length; k++) {
        const gain = open[k]!.split?.gain
        if (gain !== undefined && (best < 0 || gain > open[best]!.split!.gain * (1 + 1e-9))) best = k
      }
      if (best < 0) break
      const [left, right] = this.#divide(open[best]!, nodes, leastGain, open.length + 1 === most)
      open[best] = left
      open.push(right)
    }
    for (const leaf of open) {
      nodes.value[leaf.node] = leaf.sum / (leaf.weight + ridge)
      if (leaf.histogram !== null) this.#pool.push(leaf.histogram)
    }
    return open
  }

  #rootLeaf(node: number, leastGain: number): OpenLeaf {
    const to = this.rows.length
    const histogram = this.#rootHistogram()
    let sum = 0
    let weight = 0
    // Any column's bins add up to the node; the first one's do here.
    for (let b = 0; b < SPAN; b += 2) {
      sum += histogram[b]!
      weight += histogram[b + 1]!
    }
    return { node, from: 0, to, sum, weight, histogram, split: this.#bestSplit(histogram, sum, weight, leastGain) }
  }

  #divide(leaf: OpenLeaf, nodes: TreeNodes, leastGain: number, last: boolean): readonly [OpenLeaf, OpenLeaf] {
    const { node, from, to, histogram } = leaf
    const split = leaf.split!
    const middle = this.#partition(from, to, split)
    const left = addNode(nodes)
    const right = addNode(nodes)
    nodes.feature[node] = split.column
    nodes.value[node] = this.#columns.thresholds[split.column]![split.bin] ?? Number.MAX_VALUE
    nodes.left[node] = left
    nodes.missingLeft[node] = split.missingLeft ? 1 : 0
    const leftPart = { node: left, from, to: middle, sum: split.leftSum, weight: split.leftWeight }
    const rightPart = {
      node: right,
      from: middle,
      to,
      sum: leaf.sum - split.leftSum,
      weight: leaf.weight - split.leftWeight,
    }
    if (last) {
      this.#pool.push(histogram!)
      return [
        { ...leftPart, histogram: null, split: null },
        { ...rightPart, histogram: null, split: null },
      ]
    }
    const leftSmaller = middle - from <= to - middle
    const small = leftSmaller ? this.#histogram(from, middle) : this.#histogram(middle, to)
    const large = histogram!
    for (let b = 0; b < large.length; b++) large[b] = large[b]! - small[b]!
    const opened = (part: Leaf, own: Float64Array): OpenLeaf => ({
      ...part,
      histogram: own,
      split: this.#bestSplit(own, part.sum, part.weight, leastGain),
    })
    return [opened(leftPart, leftSmaller ? small : large), opened(rightPart, leftSmaller ? large : small)]
  }

  /** Moves the rows of the left side to the front, in order; returns where the right side begins. */
  #partition(from: number, to: number, { column, bin, missingLeft }: Split): number {
    const { bins } = this.#columns
    const { rows } = this
    const spare = this.#spare
    const base = column * this.#count
    // A missing value's bin is above all others, so it goes right by itself; to send it left, bins are turned by one.
    const turn = missingLeft ? 1 : 0
    const last = bin + turn
    let next = from
    let aside = 0
    for (let i = from; i < to; i++) {
      const row = rows[i]!
      // Both sides are written and one of them moves on: which one is a coin's toss, and a branch would often be mispredicted.
      const goesLeft = ((bins[base + row]! + turn) & 255) <= last ? 1 : 0
      rows[next] = row
      next += goesLeft
      spare[aside] = row
      aside += 1 - goesLeft
    }
    for (let i = 0; i < aside; i++) rows[next + i] = spare[i]!
    return next
  }

  /** Of all rows; where weights stay from tree to tree, their part is that of the first tree. */
  #rootHistogram(): Float64Array {
    const known = this.#rootWeights
    if (known === null) {
      const histogram = this.#histogram(0, this.rows.length)
      if (this.#settings.weightsStay) this.#rootWeights = histogram.filter((_, k) => k % 2 === 1)
      return histogram
    }
    const histogram = this.#pool.pop()!
    for (let k = 0, to = 0; k < known.length; k++) {
      histogram[to++] = 0
      histogram[to++] = known[k]!
    }
    addProductsToBins(histogram, this.#binned)
    return histogram
  }

  #histogram(from: number, to: number): Float64Array {
    const histogram = this.#pool.pop() ?? new Float64Array(this.#columns.thresholds.length * SPAN)
    histogram.fill(0)
    addRowsToBins(histogram, this.#binned, from, to)
    return histogram
  }

  #bestSplit(histogram: Float64Array, sum: number, weight: number, leastGain: number): Split | null {
    return bestSplit(histogram, this.#columns, this.#settings, sum, weight, leastGain)
  }
}

function addNode(nodes: TreeNodes): number {
  nodes.feature.push(-1)
  nodes.value.push(0)
  nodes.left.push(0)
  nodes.missingLeft.push(0)
  return nodes.feature.length - 1
}
