// Typed arrays whose final length is not known in advance.

type Cells = Float64Array | Uint16Array

/** At least `rows` long, with the same start. */
export function grown<A extends Cells>(cells: A, rows: number): A {
  if (cells.length >= rows) return cells
  const room = Math.max(rows, Math.ceil(1.5 * cells.length))
  const larger = (cells instanceof Float64Array ? new Float64Array(room) : new Uint16Array(room)) as A
  larger.set(cells)
  return larger
}

/** Exactly `rows` long, without much unused memory behind it. */
export function fitted<A extends Cells>(cells: A, rows: number): A {
  return (rows < 0.9 * cells.length ? cells.slice(0, rows) : cells.subarray(0, rows)) as A
}
