// One least squares tree on binned columns, grown leaf by leaf where the gain is largest. With residuals r and weights w of a node,
//   value = sum w r / (sum w + ridge),   gain = G_l^2/(W_l + ridge) + G_r^2/(W_r + ridge) - G^2/(W + ridge),  G = sum w r.
// Histograms of (w r, w) per bin: the smaller child is summed, the larger is the parent less the smaller. Equal gains (to 1e-9)
// go to the first column and bin, so that rounding does not decide. Buffers are kept from tree to tree.

import { type BinnedColumns, MISSING_BIN } from './tree-bins.js'

export interface TreeSettings {
  readonly leaves: number
  /** Least weight of a leaf. */
  readonly minimumLeaf: number
  readonly ridge: number
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

interface Split {
  readonly gain: number
  readonly column: number
  readonly bin: number
  readonly missingLeft: boolean
  readonly leftSum: number
  readonly leftWeight: number
}

interface OpenLeaf extends Leaf {
  readonly histogram: Float64Array | null
  readonly split: Split | null
}

/** Numbers of a column's histogram: sum and weight of 256 bins. */
const SPAN = 512

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
  /** w r and w of each row; w is null when all weigh 1. */
  #products: Float64Array = new Float64Array(0)
  #weights: Float64Array | null = null

  /** `training` are the rows that trees are grown on, of `count` in all. */
  constructor(columns: BinnedColumns, count: number, training: Int32Array, settings: TreeSettings) {
    this.#columns = columns
    this.#count = count
    this.#settings = settings
    this.rows = Int32Array.from(training)
    this.#training = training
    this.#spare = new Int32Array(training.length)
  }

  /** Appends a tree with unscaled leaf values; `leastGain` is what a split must bring. */
  grow(products: Float64Array, weights: Float64Array | null, nodes: TreeNodes, leastGain: number): readonly Leaf[] {
    this.#products = products
    this.#weights = weights
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
    const { bins, thresholds } = this.#columns
    for (let column = 0; column < thresholds.length; column++) {
      addProducts(histogram, bins, this.rows, this.#products, column, this.#count)
    }
    return histogram
  }

  #histogram(from: number, to: number): Float64Array {
    const { thresholds } = this.#columns
    const columns = thresholds.length
    const histogram = this.#pool.pop() ?? new Float64Array(columns * SPAN)
    histogram.fill(0)
    let column = 0
    for (; column + 4 <= columns; column += 4) {
      if (this.#weights === null) this.#addFour(histogram, column, from, to)
      else this.#addFourWeighted(histogram, column, from, to, this.#weights)
    }
    for (; column < columns; column++) this.#addOne(histogram, column, from, to)
    return histogram
  }

  /** Four columns at a time: a row's number and product are read once. */
  #addFour(histogram: Float64Array, column: number, from: number, to: number): void {
    const { bins } = this.#columns
    const { rows } = this
    const products = this.#products
    const count = this.#count
    const c0 = column * count
    const c1 = c0 + count
    const c2 = c1 + count
    const c3 = c2 + count
    const h0 = column * SPAN
    const h1 = h0 + SPAN
    const h2 = h1 + SPAN
    const h3 = h2 + SPAN
    for (let i = from; i < to; i++) {
      const row = rows[i]!
      const product = products[row]!
      const b0 = h0 + (bins[c0 + row]! << 1)
      const b1 = h1 + (bins[c1 + row]! << 1)
      const b2 = h2 + (bins[c2 + row]! << 1)
      const b3 = h3 + (bins[c3 + row]! << 1)
      histogram[b0] = histogram[b0]! + product
      histogram[b0 + 1] = histogram[b0 + 1]! + 1
      histogram[b1] = histogram[b1]! + product
      histogram[b1 + 1] = histogram[b1 + 1]! + 1
      histogram[b2] = histogram[b2]! + product
      histogram[b2 + 1] = histogram[b2 + 1]! + 1
      histogram[b3] = histogram[b3]! + product
      histogram[b3 + 1] = histogram[b3 + 1]! + 1
    }
  }

  #addFourWeighted(histogram: Float64Array, column: number, from: number, to: number, weights: Float64Array): void {
    const { bins } = this.#columns
    const { rows } = this
    const products = this.#products
    const count = this.#count
    const c0 = column * count
    const c1 = c0 + count
    const c2 = c1 + count
    const c3 = c2 + count
    const h0 = column * SPAN
    const h1 = h0 + SPAN
    const h2 = h1 + SPAN
    const h3 = h2 + SPAN
    for (let i = from; i < to; i++) {
      const row = rows[i]!
      const product = products[row]!
      const weight = weights[row]!
      const b0 = h0 + (bins[c0 + row]! << 1)
      const b1 = h1 + (bins[c1 + row]! << 1)
      const b2 = h2 + (bins[c2 + row]! << 1)
      const b3 = h3 + (bins[c3 + row]! << 1)
      histogram[b0] = histogram[b0]! + product
      histogram[b0 + 1] = histogram[b0 + 1]! + weight
      histogram[b1] = histogram[b1]! + product
      histogram[b1 + 1] = histogram[b1 + 1]! + weight
      histogram[b2] = histogram[b2]! + product
      histogram[b2 + 1] = histogram[b2 + 1]! + weight
      histogram[b3] = histogram[b3]! + product
      histogram[b3 + 1] = histogram[b3 + 1]! + weight
    }
  }

  #addOne(histogram: Float64Array, column: number, from: number, to: number): void {
    const { bins } = this.#columns
    const { rows } = this
    const products = this.#products
    const weights = this.#weights
    const base = column * this.#count
    const start = column * SPAN
    for (let i = from; i < to; i++) {
      const row = rows[i]!
      const b = start + (bins[base + row]! << 1)
      histogram[b] = histogram[b]! + products[row]!
      histogram[b + 1] = histogram[b + 1]! + (weights === null ? 1 : weights[row]!)
    }
  }

  #bestSplit(histogram: Float64Array, sum: number, weight: number, leastGain: number): Split | null {
    const { thresholds, hasMissing } = this.#columns
    const { minimumLeaf, ridge } = this.#settings
    if (weight < 2 * minimumLeaf) return null
    const whole = (sum * sum) / (weight + ridge)
    const least = minimumLeaf * (1 - 1e-9)
    let best: Split | null = null
    for (let column = 0; column < thresholds.length; column++) {
      const start = column * SPAN
      // Where values are missing, the last bin may split them from all others.
      const ends = thresholds[column]!.length + hasMissing[column]!
      const missingSum = histogram[start + 2 * MISSING_BIN]!
      const missingWeight = histogram[start + 2 * MISSING_BIN + 1]!
      for (let side = 0; side <= hasMissing[column]!; side++) {
        let leftSum = side === 1 ? missingSum : 0
        let leftWeight = side === 1 ? missingWeight : 0
        for (let bin = 0; bin < ends; bin++) {
          leftSum += histogram[start + 2 * bin]!
          leftWeight += histogram[start + 2 * bin + 1]!
          const rightWeight = weight - leftWeight
          if (leftWeight < least) continue
          if (rightWeight < least) break
          const rightSum = sum - leftSum
          const gain =
            (leftSum * leftSum) / (leftWeight + ridge) + (rightSum * rightSum) / (rightWeight + ridge) - whole
          if (gain > leastGain && (best === null || gain > best.gain * (1 + 1e-9)))
            best = { gain, column, bin, missingLeft: side === 1, leftSum, leftWeight }
        }
      }
    }
    return best
  }
}

/** Adds every row's product to its bin of the column. */
function addProducts(
  histogram: Float64Array,
  bins: Uint8Array,
  rows: Int32Array,
  products: Float64Array,
  column: number,
  count: number,
): void {
  const base = column * count
  const start = column * SPAN
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const b = start + (bins[base + row]! << 1)
    histogram[b] = histogram[b]! + products[row]!
  }
}

function addNode(nodes: TreeNodes): number {
  nodes.feature.push(-1)
  nodes.value.push(0)
  nodes.left.push(0)
  nodes.missingLeft.push(0)
  return nodes.feature.length - 1
}
