// The figures that a study found, by world, arm and repeat.

import { type Summary, summarise } from '@primo/lab'
import type { Size, StudyRow, World } from './study-spec.js'

/** One arm in one world. */
export interface Place {
  readonly world: string
  readonly arm: string
  /** By repeat; of another arm in the same world where one is named. */
  readonly values: (figure: string, arm?: string) => readonly number[]
  readonly mean: (figure: string, arm?: string) => Summary
}

export class Found<W extends World = World, S extends Size = Size> {
  readonly worlds: readonly W[]
  readonly size: S
  readonly full: boolean
  /** The second look at some of the worlds, with other seeds. */
  again: Found<W, S> | null = null
  readonly #rows = new Map<string, Map<string, StudyRow[]>>()

  constructor(worlds: readonly W[], size: S, full: boolean, rows: readonly StudyRow[]) {
    this.worlds = worlds
    this.size = size
    this.full = full
    for (const row of rows) {
      const arms = this.#rows.get(row.world) ?? new Map<string, StudyRow[]>()
      this.#rows.set(row.world, arms)
      arms.set(row.arm, [...(arms.get(row.arm) ?? []), row])
    }
  }

  /** Arms of a world (default: of the first one) in the order of their measurement. */
  arms(world = this.worlds[0]!.name): readonly string[] {
    return [...(this.#rows.get(world)?.keys() ?? [])]
  }

  values(world: string, arm: string, figure: string): readonly number[] {
    const rows = this.#rows.get(world)?.get(arm) ?? []
    return rows.flatMap(({ figures }) => figures[figure] ?? [])
  }

  mean(world: string, arm: string, figure: string): Summary {
    return summarise(this.values(world, arm, figure))
  }

  /** By repeat, the values of one figure over several worlds or of several figures in one world. */
  curves(of: readonly { readonly world: string; readonly arm: string; readonly figure: string }[]) {
    const columns = of.map(({ world, arm, figure }) => this.values(world, arm, figure))
    return columns[0]!.map((_, repeat) => columns.map((column) => column[repeat]!))
  }

  place(world: string, arm: string): Place {
    const values: Place['values'] = (figure, other = arm) => this.values(world, other, figure)
    return { world, arm, values, mean: (figure, other) => summarise(values(figure, other)) }
  }

  /** World by world, arm by arm; `only`: of those arms, in that order. */
  places(only?: readonly string[], worlds: readonly World[] = this.worlds): readonly Place[] {
    return worlds.flatMap(({ name }) => {
      const arms = this.arms(name)
      return (only?.filter((arm) => arms.includes(arm)) ?? arms).map((arm) => this.place(name, arm))
    })
  }
}
