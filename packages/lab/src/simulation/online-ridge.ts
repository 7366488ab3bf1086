// Ridge regression per action that is updated with every reward (Sherman-Morrison): A^-1 <- A^-1 - (A^-1 phi)(A^-1 phi)' /
// (1 + phi'A^-1 phi), theta = A^-1 b. The online oracle of SquareCB, LinUCB and LinTS.

export class OnlineRidge {
  readonly #columns: number
  readonly #inverse: readonly Float64Array[]
  readonly #target: readonly Float64Array[]
  readonly #product: Float64Array
  /** theta by action, row-major. */
  readonly theta: Float64Array

  constructor(actions: number, columns: number, ridge: number) {
    this.#columns = columns
    this.#inverse = Array.from({ length: actions }, () => {
      const matrix = new Float64Array(columns * columns)
      for (let i = 0; i < columns; i++) matrix[i * columns + i] = 1 / ridge
      return matrix
    })
    this.#target = Array.from({ length: actions }, () => new Float64Array(columns))
    this.#product = new Float64Array(columns)
    this.theta = new Float64Array(actions * columns)
  }

  /** sqrt(phi'A^-1 phi): one standard deviation of the action's score in units of the noise. */
  width(action: number, phi: Float64Array): number {
    const d = this.#columns
    const matrix = this.#inverse[action]!
    let sum = 0
    for (let i = 0; i < d; i++) {
      let row = 0
      for (let j = 0; j < d; j++) row += matrix[i * d + j]! * phi[j]!
      sum += row * phi[i]!
    }
    return Math.sqrt(Math.max(0, sum))
  }

  update(action: number, phi: Float64Array, at: number, reward: number): void {
    const d = this.#columns
    const matrix = this.#inverse[action]!
    const target = this.#target[action]!
    const product = this.#product
    let denominator = 1
    for (let i = 0; i < d; i++) {
      let sum = 0
      for (let j = 0; j < d; j++) sum += matrix[i * d + j]! * phi[at + j]!
      product[i] = sum
      denominator += sum * phi[at + i]!
    }
    for (let i = 0; i < d; i++) {
      const scaled = product[i]! / denominator
      for (let j = 0; j < d; j++) matrix[i * d + j] = matrix[i * d + j]! - scaled * product[j]!
      target[i] = target[i]! + reward * phi[at + i]!
    }
    for (let i = 0; i < d; i++) {
      let sum = 0
      for (let j = 0; j < d; j++) sum += matrix[i * d + j]! * target[j]!
      this.theta[action * d + i] = sum
    }
  }
}
