// Which problems of a store are damaged: commands for them are refused, the other problems go on.

import { type Command, type Outcome, refuse } from './commands.js'
import type { Store } from './store.js'
import { type Damage, StoreDamaged } from './store-damaged.js'

type Commit = (commands: readonly Command[]) => Promise<readonly Outcome[]>

export interface DamageBook extends Pick<Store, 'damage' | 'onDamage'> {
  readonly note: (damage: Damage) => void
  /** Commits what is not for a damaged problem, and notes what a commit finds damaged. */
  readonly guard: (commit: Commit) => Commit
  /** Notes what a reading of this problem finds damaged. */
  readonly watch: <T>(problem: number | null, read: () => Promise<T>) => Promise<T>
}

interface DamageBookOptions {
  readonly nameOf: (problem: number) => Promise<string | null>
  /** Decide for damaged problems too. */
  readonly decideDamaged?: boolean
}

export function createDamageBook({ nameOf, decideDamaged = false }: DamageBookOptions): DamageBook {
  const found: Damage[] = []
  const listeners: ((damage: Damage) => void)[] = []

  function note(damage: Damage): void {
    if (found.some(({ problem, detail }) => problem === damage.problem && detail === damage.detail)) return
    found.push(damage)
    for (const listen of listeners) listen(damage)
  }

  const damageOf = (problem: string) => found.find((one) => one.problem === null || one.problem === problem)

  async function noted<T>(call: () => Promise<T>, name: (error: StoreDamaged) => Promise<string | null>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (error instanceof StoreDamaged) {
        const problem = await name(error).catch(() => null)
        if (problem !== null) note({ problem, detail: error.message })
      }
      throw error
    }
  }

  return {
    note,
    damage: () => found,
    onDamage: (listener) => void listeners.push(listener),
    guard: (commit) => async (commands) => {
      const refused = commands.map(({ problem }) => (decideDamaged ? undefined : damageOf(problem)))
      const allowed = commands.filter((_, k) => refused[k] === undefined)
      const names = new Set(allowed.map(({ problem }) => problem))
      const [only = null] = names.size === 1 ? names : []
      const outcomes =
        allowed.length === 0
          ? []
          : await noted(
              () => commit(allowed),
              async () => only,
            )
      if (allowed.length === commands.length) return outcomes
      let at = 0
      return refused.map((damage) => (damage === undefined ? outcomes[at++]! : refuse('store-damaged', damage.detail)))
    },
    watch: (problem, read) =>
      noted(read, async (error) => {
        const number = error.problem ?? problem
        return number === null ? null : nameOf(number)
      }),
  }
}
