// Rows of a run put in a fixed order: scenario, policy, seed. Workers finish in any order; reports must not show it.

import { PrimoError } from '@primo/numeric'
import type { RunRow } from '../runs/run-row.js'

export interface ScenarioRows {
  readonly scenario: string
  /** The horizon, the same in all rows. */
  readonly rounds: number
  /** 'regret' where every row has one; else policies are compared by their rewards. */
  readonly measure: 'regret' | 'reward'
  /** Policies by name, rows by seed. */
  readonly policies: readonly PolicyRows[]
}

export interface PolicyRows {
  readonly policy: string
  readonly rows: readonly RunRow[]
}

/** Refuses rows that cannot be summarised together with `invalid-option`. */
export function groupRows(rows: readonly RunRow[]): readonly ScenarioRows[] {
  if (rows.length === 0) refuse('rows must hold at least one finished cell, got none', {})
  return [...groupBy(rows, ({ scenario }) => scenario)].map(([scenario, ofScenario]) => {
    const { rounds } = ofScenario[0]!
    for (const row of ofScenario) {
      checkFinite(row)
      if (row.rounds !== rounds) {
        const message = `rows of scenario "${scenario}" must have the same number of rounds, got ${rounds} and ${row.rounds}`
        refuse(message, { field: 'rounds', scenario, rounds: [rounds, row.rounds] })
      }
    }
    const policies = [...groupBy(ofScenario, ({ policy }) => policy)].map(([policy, ofPolicy]) => {
      const sorted = [...ofPolicy].sort((a, b) => a.seed - b.seed)
      const twice = sorted.find((row, i) => row.seed === sorted[i + 1]?.seed)
      if (twice !== undefined) {
        const { seed } = twice
        refuse(
          `rows must hold each scenario, policy and seed once, got "${scenario}", "${policy}", seed ${seed} twice`,
          {
            field: 'seed',
            scenario,
            policy,
            seed,
          },
        )
      }
      return { policy, rows: sorted }
    })
    const measure = ofScenario.every(({ regret }) => regret !== null) ? 'regret' : 'reward'
    return { scenario, rounds, measure, policies }
  })
}

function groupBy(rows: readonly RunRow[], keyOf: (row: RunRow) => string): readonly [string, readonly RunRow[]][] {
  const groups = new Map<string, RunRow[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups].sort(([a], [b]) => compareNames(a, b))
}

/** By code point, runs of digits by value: the same order on every machine. */
function compareNames(a: string, b: string): number {
  const parts = (name: string) => name.split(/(\d+)/)
  const left = parts(a)
  const right = parts(b)
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i]!, right[i]!]
    if (x === y) continue
    if (i % 2 === 1 && Number(x) !== Number(y)) return Number(x) - Number(y)
    return x < y ? -1 : 1
  }
  return left.length - right.length
}

function checkFinite(row: RunRow): void {
  const values = [row.rounds, row.reward, row.regret ?? 0, row.floor ?? 0]
  for (const { rounds, regret, floor } of row.checkpoints) values.push(rounds, regret ?? 0, floor ?? 0)
  const bad = values.find((value) => !Number.isFinite(value))
  if (bad === undefined) return
  const { scenario, policy, seed } = row
  refuse(`numbers of a row must be finite, got ${bad} in "${scenario}", "${policy}", seed ${seed}`, {
    scenario,
    policy,
    seed,
  })
}

function refuse(message: string, facts: Readonly<Record<string, unknown>>): never {
  throw new PrimoError('invalid-option', message, facts)
}
