// Remembering what was computed from a block of rounds. A block's sums are a pure function of its rounds; keeping them
// makes a refit cost only what changed. An entry is used again when its stamp (what of the block entered) is the same.

/** Remembers what was computed from a block, while the block's stamp is the same. */
export class BlockMemo<T> {
  readonly #entries = new WeakMap<object, Map<string, { readonly stamp: string; readonly value: T }>>()

  /**
   * The value for this block and key; computed anew, perhaps from the value before, when the stamp differs from the one
   * it was computed with.
   */
  get(block: object, key: string, stamp: string, compute: (before: T | undefined) => T): T {
    let byKey = this.#entries.get(block)
    if (byKey === undefined) {
      byKey = new Map()
      this.#entries.set(block, byKey)
    }
    const known = byKey.get(key)
    if (known !== undefined && known.stamp === stamp) return known.value
    const value = compute(known?.value)
    byKey.set(key, { stamp, value })
    return value
  }

  forget(block: object, key: string): void {
    this.#entries.get(block)?.delete(key)
  }
}
