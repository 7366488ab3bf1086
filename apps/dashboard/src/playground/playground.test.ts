import { describe, expect, it } from 'vitest'
import { meanCurve, pairedDifference } from './curves.js'
import { type PlayedCell, runCells } from './run-cells.js'
import { initialSettings, playedPolicies } from './settings.js'

describe('the playground', () => {
  it('runs every policy on the same rounds, a function of the settings alone', () => {
    const play = (change: object = {}) => {
      const cells: PlayedCell[] = []
      runCells({ ...initialSettings, rounds: 960, ...change }, 2, (cell) => cells.push(cell))
      return cells
    }
    const cells = play()
    expect(cells.map(({ policy, seed }) => `${policy} ${seed}`)).toEqual(
      [1, 2].flatMap((seed) => playedPolicies.map((policy) => `${policy} ${seed}`)),
    )
    expect(cells).toEqual(play())
    // The floor belongs to the world, not to the policy.
    expect(cells[0]!.floor).toEqual(cells[3]!.floor)
    for (const { regret, marks } of cells) {
      expect(marks.at(-1)).toBe(960)
      expect(regret.every((value, i) => i === 0 || value >= regret[i - 1]!)).toBe(true)
    }
    expect(play({ exploration: -1 })[2]!.regret).not.toEqual(cells[2]!.regret)
    expect(play({ mnar: 2, share: 0.8, bias: 0.3, noise: 0.2 })[2]!.regret).not.toEqual(cells[2]!.regret)
  })

  it('draws means over seeds and pairs policies by seed', () => {
    const cell = (policy: 'primo' | 'primo-cal', seed: number, regret: number): PlayedCell => ({
      policy,
      seed,
      marks: [500, 1000],
      regret: [regret / 2, regret],
      floor: [0, 0],
    })
    const cells = [
      cell('primo', 1, 30),
      cell('primo-cal', 1, 20),
      cell('primo', 2, 50),
      cell('primo-cal', 2, 36),
      cell('primo', 3, 99),
    ]
    expect(pairedDifference(cells, 'primo', 'primo-cal')).toEqual({ mean: 12, error: 2, seeds: 2 })
    expect(meanCurve(cells.slice(0, 1), ({ regret }) => regret)).toEqual([
      { x: 500, y: 15 },
      { x: 1000, y: 30 },
    ])
    expect(meanCurve([cells[0]!, cells[2]!], ({ regret }) => regret)[1]).toEqual({ x: 1000, y: 40, low: 20, high: 60 })
  })
})
