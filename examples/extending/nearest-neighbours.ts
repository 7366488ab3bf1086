// A function class of one's own: the mean target of the k nearest rows. It serves as a reward model and as a correction.
//   createLearner(problem, { oracle: nearestNeighbours })
//   createLearner(problem, { calibration: { class: { ...nearestNeighbours, options: { k: 50 } } } })
// The model is all of its rows: for thousands of them, not for millions.

import type { RegressionClass } from '@primo/core'

interface Options {
  readonly k: number
}

interface Model extends Options {
  readonly columns: number
  readonly inputs: readonly number[]
  readonly targets: readonly number[]
  readonly weights: readonly number[]
}

export const nearestNeighbours: RegressionClass<Model, Options> = {
  kind: 'nearest-neighbours',
  version: '1',
  options: { k: 20 },
  fit: ({ columns, inputs, targets, weights }, _random, { k }) => {
    return { k, columns, inputs: [...inputs], targets: [...targets], weights: [...weights] }
  },
  dimension: ({ k }, { weights }) => Math.max(1, weights.reduce((sum, weight) => sum + weight, 0) / k),
  compile: ({ k, columns, inputs, targets, weights }) => {
    const rows = Float64Array.from(inputs)
    const near = new Int32Array(k)
    const distances = new Float64Array(k)
    // Equally near rows in the order of their targets, so that the order of rows does not matter.
    const before = (distance: number, row: number, place: number) =>
      distance < distances[place]! || (distance === distances[place]! && targets[row]! < targets[near[place]!]!)
    return (x, at) => {
      let found = 0
      for (let row = 0; row < targets.length; row++) {
        let distance = 0
        for (let j = 0; j < columns; j++) distance += (rows[row * columns + j]! - x[at + j]!) ** 2
        if (found === k && !before(distance, row, k - 1)) continue
        let place = found < k ? found++ : k - 1
        for (; place > 0 && before(distance, row, place - 1); place--) {
          near[place] = near[place - 1]!
          distances[place] = distances[place - 1]!
        }
        near[place] = row
        distances[place] = distance
      }
      let [sum, total] = [0, 0]
      for (let place = 0; place < found && total < k; place++) {
        const weight = Math.min(weights[near[place]!]!, k - total)
        sum += weight * targets[near[place]!]!
        total += weight
      }
      return sum / total
    }
  },
}
