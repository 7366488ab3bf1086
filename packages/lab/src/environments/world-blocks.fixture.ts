// How tests compare blocks of a world.

import type { WorldBlock } from './environment.js'

/** Names of the columns that are not equal bit by bit. */
export function differences(one: WorldBlock, two: WorldBlock): readonly string[] {
  const bytes = (column: unknown) =>
    ArrayBuffer.isView(column) ? Buffer.from(column.buffer, column.byteOffset, column.byteLength) : null
  return (Object.keys(one) as (keyof WorldBlock)[]).filter((name) => {
    const [first, second] = [bytes(one[name]), bytes(two[name])]
    return first === null || second === null ? one[name] !== two[name] : !first.equals(second)
  })
}
