import { bytesText, profileCsv } from '@primo/lab'
import { describe, expect, it } from 'vitest'
import { estimateText, isSettled, meanCurve, pairedDifference } from './curves.js'
import { type ReplayedCell, type ReplayFacts, replayTable } from './replay-table.js'
import { type PlayedCell, runCells } from './run-cells.js'
import { guessedRoles, isComplete, lookedAt, planOf, rolesProblem } from './table-roles.js'
import { initialSettings, playedPolicies, presets, settingsFrom, settingsQuery } from './world-settings.js'

describe('the made-up world', () => {
  it('runs every policy on the same rounds, a function of the settings alone', () => {
    const play = (change: object = {}, seeds = [1]) => {
      const cells: PlayedCell[] = []
      runCells({ ...initialSettings, scenario: 'A', rounds: 480, ...change }, seeds, (cell) => cells.push(cell))
      return cells
    }
    const cells = play({}, [1, 2])
    expect(cells.map(({ policy, seed }) => `${policy} ${seed}`)).toEqual(
      [1, 2].flatMap((seed) => playedPolicies.map((policy) => `${policy} ${seed}`)),
    )
    expect(cells.slice(0, playedPolicies.length)).toEqual(play())
    // The floor belongs to the world, not to the policy.
    expect(cells[0]!.floor).toEqual(cells[3]!.floor)
    for (const { regret, marks } of cells) {
      expect(marks.at(-1)).toBe(480)
      expect(regret.every((value, i) => i === 0 || value >= regret[i - 1]!)).toBe(true)
    }
    expect(play({ exploration: -1 })[2]!.regret).not.toEqual(cells[2]!.regret)
    expect(play({ mnar: 2, share: 0.8, bias: 0.3, noise: 0.2 })[2]!.regret).not.toEqual(cells[2]!.regret)
  })

  it('is said by the address, which may say nonsense', () => {
    for (const { change } of presets) {
      const settings = { ...initialSettings, ...change }
      expect(settingsFrom(settingsQuery(settings))).toEqual(settings)
    }
    expect(Object.values(settingsQuery(initialSettings)).join('')).toBe('')
    expect(settingsFrom({ scenario: 'nowhere', share: '7', bias: 'x', mnar: '', rounds: '-1' })).toEqual(
      initialSettings,
    )
  })

  it('draws means over seeds and pairs policies by seed, two standard errors everywhere', () => {
    const cell = (policy: string, seed: number, value: number) => ({
      policy,
      seed,
      marks: [500, 1000],
      at: [value / 2, value],
    })
    const cells = [
      cell('primo', 1, 30),
      cell('primo-cal', 1, 20),
      cell('primo', 2, 50),
      cell('primo-cal', 2, 36),
      cell('primo', 3, 99),
    ]
    const last = ({ at }: { at: number[] }) => at[1]!
    expect(pairedDifference(cells, 'primo', 'primo-cal', last)).toEqual({ mean: 12, error: 4, seeds: 2 })
    expect(meanCurve(cells.slice(0, 1), ({ at }) => at)).toEqual([
      { x: 500, y: 15 },
      { x: 1000, y: 30 },
    ])
    expect(meanCurve([cells[0]!, cells[2]!], ({ at }) => at)[1]).toEqual({ x: 1000, y: 40, low: 20, high: 60 })
    expect([
      estimateText({ mean: 53.12, error: 4.79, seeds: 4 }),
      estimateText({ mean: 0.123, error: 0.0456, seeds: 4 }),
    ]).toEqual(['53 ± 5', '0.12 ± 0.05'])
    expect(isSettled({ mean: 12, error: 4, seeds: 2 })).toBe(false)
    expect(isSettled({ mean: 12, error: 4, seeds: 3 })).toBe(true)
    expect(isSettled({ mean: -4, error: 4, seeds: 8 })).toBe(false)
  })
})

describe('a table of one’s own', () => {
  const text = (lines: readonly string[]) => bytesText('visits.csv', new TextEncoder().encode(lines.join('\n')))
  const rewarded = text([
    'age;ward;dose;reward_low;reward_high',
    ...Array.from({ length: 400 }, (_, k) => {
      const dose = (k * 7) % 11
      return `${20 + (k % 50)};${k % 2 ? 'a' : 'b'};${k % 3 === 0 ? 'NA' : dose};${dose < 5 ? 1 : 0};${dose < 5 ? 0 : 1}`
    }),
  ])
  const replay = (
    ...given: Parameters<typeof replayTable> extends [infer T, infer P, ...unknown[]] ? [T, P] : never
  ) => {
    const cells: ReplayedCell[] = []
    let facts: ReplayFacts | null = null
    replayTable(...given, 2, (message) => {
      if ('cell' in message) cells.push(message.cell)
      else facts = message.facts
    })
    return { cells, facts: facts! as ReplayFacts }
  }

  it('is understood by itself where its columns are named plainly, and replayed', async () => {
    const looked = lookedAt(await profileCsv(rewarded))
    const roles = guessedRoles(looked)
    expect(roles).toEqual({
      age: 'context',
      ward: 'context',
      dose: 'covariate',
      reward_low: 'reward',
      reward_high: 'reward',
    })
    expect(rolesProblem(looked, roles)).toBe(null)
    expect(isComplete(looked, roles)).toBe(false)
    const { cells, facts } = replay(rewarded, planOf(looked, roles, 0.5))
    expect(facts.rounds).toBe(400)
    expect(facts.actions).toEqual(['reward_low', 'reward_high'])
    // Not all values are there, so nobody can see them all.
    expect(cells.map(({ policy }) => policy)).not.toContain('sees-all-values')
    for (const { reward, marks } of cells) {
      expect(marks.length).toBeGreaterThan(20)
      expect(reward.every((value) => value >= 0 && value <= 1)).toBe(true)
    }
    expect(replay(rewarded, planOf(looked, roles, 0.5)).cells).toEqual(cells)
  })

  it('earns by right answers where it has no rewards, and hides values where none is missing', async () => {
    const complete = text([
      'age,size,species',
      ...Array.from({ length: 300 }, (_, k) => `${k % 50},${(k * 13) % 17},${['cat', 'dog', 'owl'][(k * 13) % 3]}`),
    ])
    const looked = lookedAt(await profileCsv(complete))
    const guessed = guessedRoles(looked)
    expect(guessed.species).toBe('label')
    expect(rolesProblem(looked, guessed)).toContain('sometimes unknown')
    const roles = { ...guessed, size: 'covariate' as const }
    expect(rolesProblem(looked, roles)).toBe(null)
    const { cells, facts } = replay(complete, planOf(looked, roles, 0.4))
    expect(facts.actions).toEqual(['species=cat', 'species=dog', 'species=owl'])
    expect(facts.notes.join()).toMatch(/\d+ values of size are present but flagged missing/)
    expect(cells.map(({ policy }) => policy)).toContain('sees-all-values')
    expect(rolesProblem(looked, { ...roles, species: 'reward' })).toContain('at least two actions')
  })
})
