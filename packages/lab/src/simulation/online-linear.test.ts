// LinUCB and LinTS after every reward, against ridge regressions solved anew by elimination.

import { createEngine, type RoundBlock } from '@primo/core/engine'
import { expect, test } from 'vitest'
import { referenceEnvironment } from '../environments/reference.js'
import { onlineLinear } from './online-linear.js'
import { simulate, worldOf } from './simulate.js'

const environment = referenceEnvironment('A')
const { problem } = environment
const engine = createEngine(problem, { profile: 'primo' })
const ROUNDS = 60

/** Solves (I + sum phi phi') y = right. */
function solve(rows: readonly number[][], right: readonly number[]): number[] {
  const d = right.length
  const a = Array.from({ length: d }, (_, i) =>
    Array.from({ length: d }, (_, j) => rows.reduce((sum, phi) => sum + phi[i]! * phi[j]!, i === j ? 1 : 0)),
  )
  const b = [...right]
  for (let i = 0; i < d; i++) {
    for (let k = i + 1; k < d; k++) {
      const factor = a[k]![i]! / a[i]![i]!
      for (let j = i; j < d; j++) a[k]![j] = a[k]![j]! - factor * a[i]![j]!
      b[k] = b[k]! - factor * b[i]!
    }
  }
  for (let i = d - 1; i >= 0; i--) {
    for (let j = i + 1; j < d; j++) b[i] = b[i]! - a[i]![j]! * b[j]!
    b[i] = b[i]! / a[i]![i]!
  }
  return b
}

const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, i) => sum + value * other[i]!, 0)

function phiOf({ context, covariates, observed }: RoundBlock, row: number): number[] {
  const width = Object.keys(problem.context).length
  const x = Array.from(context.slice(row * width, (row + 1) * width))
  return [1, ...x, covariates[row]!, observed[row] === 1 ? 0 : 1]
}

test('LinUCB with an indicator plays the largest m + alpha w', () => {
  const alpha = 0.7
  const rule = onlineLinear(engine, { rule: 'linucb', alpha, indicator: 'intercept', seed: 1 })
  const learnt = problem.actions.map(() => ({ rows: [] as number[][], rewards: [] as number[] }))
  let checked = 0
  simulate({
    engine,
    world: worldOf(environment, 5, ROUNDS),
    seed: 5,
    online: {
      ...rule,
      decide: (block, row, draw) => {
        const phi = phiOf(block, row)
        const scores = learnt.map(({ rows, rewards }) => {
          const sums = phi.map((_, i) => rows.reduce((sum, one, t) => sum + one[i]! * rewards[t]!, 0))
          return dot(phi, solve(rows, sums)) + alpha * Math.sqrt(dot(phi, solve(rows, phi)))
        })
        const action = rule.decide(block, row, draw)
        expect(scores[action]).toBeCloseTo(Math.max(...scores), 9)
        checked++
        return action
      },
      learn: (block, row) => {
        const own = learnt[block.action[row]!]!
        own.rows.push(phiOf(block, row))
        own.rewards.push(block.reward[row]!)
        rule.learn(block, row)
      },
    },
  })
  expect(checked).toBe(ROUNDS)
  expect(new Set(learnt.map(({ rows }) => rows.length > 0))).toEqual(new Set([true]))
})

test('LinTS draws anew in every round, and the same for the same seed', () => {
  const actions = (seed: number) => {
    const online = onlineLinear(engine, { rule: 'lints', alpha: 1, seed })
    const played: number[] = []
    const decide: typeof online.decide = (block, row, draw) => {
      played.push(online.decide(block, row, draw))
      return played.at(-1)!
    }
    simulate({ engine, world: worldOf(environment, 5, ROUNDS), seed: 5, online: { ...online, decide } })
    return played
  }
  expect(actions(1)).toEqual(actions(1))
  expect(actions(1)).not.toEqual(actions(2))
  expect(new Set(actions(1)).size).toBe(problem.actions.length)
})
