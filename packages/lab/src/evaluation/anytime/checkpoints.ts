// When one looks: every row at first, then a row in forty more than the last time, and at the end.

const GROWTH = 1.025

export function checkpoints(rows: number): readonly number[] {
  const found: number[] = []
  for (let at = 1; at < rows; at = Math.max(at + 1, Math.floor(at * GROWTH))) found.push(at)
  found.push(rows)
  return found
}
