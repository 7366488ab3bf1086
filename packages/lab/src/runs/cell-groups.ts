// Cells that are best run together: those of one scenario and repeat share a world, which is then made once. With fewer
// worlds than `parts` the cells themselves are shared out.

import type { Cell } from './run-spec.js'

/** Cells in groups that are best run together: by world, or one by one with fewer worlds than `parts`. */
export function cellGroups(cells: readonly Cell[], parts: number): readonly (readonly Cell[])[] {
  const byWorld = new Map<string, Cell[]>()
  for (const cell of cells) {
    const key = `${cell.scenario}/${cell.repeat}`
    const group = byWorld.get(key)
    if (group === undefined) byWorld.set(key, [cell])
    else group.push(cell)
  }
  return byWorld.size >= parts ? [...byWorld.values()] : cells.map((cell) => [cell])
}
