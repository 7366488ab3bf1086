// Numbers of which there are as many as there come to be.

export class GrowingColumn {
  #values = new Float64Array(1024)
  length = 0

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Float64Array(2 * this.length)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.length++] = value
  }

  last(): number {
    return this.#values[this.length - 1]!
  }

  /** A view, good until the next push. */
  values(): Float64Array {
    return this.#values.subarray(0, this.length)
  }
}
