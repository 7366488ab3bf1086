import { Random } from '@primo/numeric'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LogRow } from '../../node.js'
import { evaluateLog } from '../evaluate-log.js'
import { evaluationLog } from '../evaluation-log.js'
import { header, logRows, worldMean } from '../evaluation-world.fixture.js'
import type { TargetPolicy } from '../target-policy.js'
import { anytimeTables } from './anytime-text.js'
import { evaluateAnytime } from './evaluate-anytime.js'
import { cutTerm } from './signed-value.js'

const fixed = (action: string): TargetPolicy => ({ kind: 'fixed', name: `fixed:${action}`, action })
const learnt: TargetPolicy = { kind: 'learnt', name: 'robust', options: { profile: 'robust' } }

/** A log of epsilon-greedy by the means so far, whose second action pays .25 more than the others. */
function* learningLog(rows: number, seed: number, gap = 0.25): Generator<LogRow> {
  const random = Random.fromSeed(seed)
  const sums = [1, 1, 1]
  const counts = [2, 2, 2]
  for (let k = 0; k < rows; k++) {
    const values = sums.map((sum, a) => sum / counts[a]!)
    const best = values.indexOf(Math.max(...values))
    const propensities = values.map((_, a) => (a === best ? 0.8 : 0.1))
    const draw = random.uniform()
    const action = draw < propensities[0]! ? 0 : draw < propensities[0]! + propensities[1]! ? 1 : 2
    const reward = random.uniform() < 0.4 + (action === 1 ? gap : 0) ? 1 : 0
    sums[action]! += reward
    counts[action]!++
    yield {
      decisionId: `d${k}`,
      policyVersion: k,
      action: header.actions[action]!,
      propensity: propensities[action]!,
      propensities,
      reward,
      rewardStatus: 'closed',
      'context.x': 2 * random.uniform() - 1,
      'covariate.z': null,
      'pretrained.z': 0,
    }
  }
}

describe('a cut term', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true })
  const three = <T>(of: fc.Arbitrary<T>) => fc.tuple(of, of, of)
  const shares = three(fc.double({ min: 0.001, max: 1, noNaN: true })).map((parts) => {
    const total = parts.reduce((sum, part) => sum + part, 0)
    return Float64Array.from(parts, (part) => part / total)
  })

  it('is right on average whatever the model says, and bounded below', () => {
    fc.assert(
      fc.property(shares, shares, shares, three(unit), three(unit), (one, other, propensities, model, means) => {
        for (const [d, span] of [[one, 0] as const, [one.map((p, a) => p - other[a]!), 1] as const]) {
          for (const cut of [0, 1, 4, 16]) {
            const term = (action: number, reward: number) =>
              cutTerm(
                { action, reward, propensity: propensities[action]!, propensities, model: Float64Array.from(model) },
                d,
                cut,
              )
            const mean = propensities.reduce((sum, p, a) => sum + p * term(a, means[a]!), 0)
            expect(mean).toBeCloseTo(
              d.reduce((sum, weight, a) => sum + weight * means[a]!, 0),
              9,
            )
            for (const action of [0, 1, 2])
              for (const reward of [0, 1]) expect(term(action, reward)).toBeGreaterThanOrEqual(-cut - span - 1e-9)
          }
        }
      }),
    )
  })
})

describe('an evaluation that holds at all times', () => {
  it('misses ever in few logs of a learning policy', async () => {
    let missed = 0
    for (let seed = 1; seed <= 40; seed++) {
      const log = await evaluationLog(header, learningLog(250, seed))
      const { path } = evaluateAnytime(log, { policies: [fixed('a'), fixed('b')], against: 'fixed:a' })
      const out = path.some(
        ({ values, differences }) =>
          [0.4, 0.65].some((truth, k) => values[k]!.low > truth || values[k]!.high < truth) ||
          differences[0]!.low > 0.25 ||
          differences[0]!.high < 0.25,
      )
      if (out) missed++
    }
    expect(missed).toBeLessThanOrEqual(3)
  })

  it('says which policy is best, and when that was known', async () => {
    const log = await evaluationLog(header, learningLog(3000, 3))
    const found = evaluateAnytime(log, { policies: ['a', 'b', 'c'].map(fixed) })
    expect(found.mayBeBest).toEqual(['fixed:b'])
    expect(found.decidedAfter).toBeGreaterThan(50)
    expect(found.decidedAfter).toBeLessThan(3000)
    const alike = await evaluationLog(header, learningLog(1000, 3, 0))
    expect(evaluateAnytime(alike, { policies: ['a', 'b'].map(fixed) })).toMatchObject({
      mayBeBest: ['fixed:a', 'fixed:b'],
      decidedAfter: null,
    })
  })

  it('lets a policy be best that was worse before it had learnt', async () => {
    // a pays .9 where x is above -.5, else .1, and b the other way round: a has .7 on average, chance .5, the best policy .9.
    const random = Random.fromSeed(8)
    const rows = Array.from({ length: 3000 }, (_, k): LogRow => {
      const x = 2 * random.uniform() - 1
      const action = random.integer(3)
      const mean = action === 2 ? 0 : x > -0.5 === (action === 0) ? 0.9 : 0.1
      return {
        decisionId: `d${k}`,
        policyVersion: k,
        action: header.actions[action]!,
        propensity: 1 / 3,
        propensities: [1 / 3, 1 / 3, 1 / 3],
        reward: random.uniform() < mean ? 1 : 0,
        rewardStatus: 'closed',
        'context.x': x,
        'covariate.z': 0,
        'pretrained.z': 0,
      }
    })
    const policies: TargetPolicy[] = [
      fixed('a'),
      { kind: 'learnt', name: 'trees', options: { profile: 'robust', oracle: { kind: 'trees' } } },
    ]
    const { mayBeBest, decidedAfter, differences } = evaluateAnytime(await evaluationLog(header, rows), {
      policies,
      against: 'fixed:a',
    })
    expect(differences[0]!.anytime.low).toBeGreaterThan(0)
    expect(mayBeBest).toEqual(['trees'])
    expect(decidedAfter).toBeGreaterThan(200)
  })

  it('has an estimate where an action was not possible once', async () => {
    const rows = [...learningLog(400, 4)].map((row, k) =>
      k === 9 ? { ...row, action: 'a', propensity: 1, propensities: [1, 0, 0] } : row,
    )
    const { policies, differences } = evaluateAnytime(await evaluationLog(header, rows), { policies: [fixed('b')] })
    for (const { atEnd } of [...policies, ...differences]) {
      expect(atEnd.value).not.toBeNaN()
      expect(atEnd.asymptotic!.high - atEnd.asymptotic!.low).toBeLessThan(1)
    }
  })

  it('marks an interval for one look that rests on few rows', async () => {
    const found = evaluateAnytime(await evaluationLog(header, learningLog(400, 6)), { policies: [fixed('b')] })
    const shown = (degrees: number) => {
      const [one] = found.policies
      return anytimeTables({ ...found, policies: [{ ...one!, atEnd: { ...one!.atEnd, degrees } }] }, new Set())[0]!
        .rows[0]![3]!
    }
    expect(shown(40)).not.toContain('!')
    expect(shown(5)).toBe(`${shown(40)} !`)
  })

  it('estimates a difference from what was played over all rows alike, and a mixture as the mixture of its parts', async () => {
    const rows = [...learningLog(3000, 3)]
    const { policies, differences } = evaluateAnytime(await evaluationLog(header, rows), {
      policies: [{ kind: 'uniform', name: 'uniform' }, ...['a', 'b', 'c'].map(fixed)],
    })
    const played = rows.reduce((sum, { propensities }) => sum + 0.25 * (propensities as number[])[1]!, 0) / rows.length
    const [mixed, ...parts] = differences.map(({ atEnd }) => atEnd)
    // The log begins near chance and ends far above it: early rows must not count for more.
    expect(Math.abs(mixed!.value - (0.25 / 3 - played))).toBeLessThan(3 * mixed!.standardError)
    expect(mixed!.value).toBeCloseTo(
      parts.reduce((sum, { value }) => sum + value / 3, 0),
      9,
    )
    expect(policies).toHaveLength(4)
  })

  it('looks back only: what comes later changes no limit before', async () => {
    const rows = [...logRows(800, 5)]
    const changed = rows.map((row, k) => (k < 400 ? row : { ...row, reward: 1 - (row.reward as number) }))
    const policies = [fixed('b'), learnt]
    const [before, after] = await Promise.all(
      [rows, changed].map(async (all) => evaluateAnytime(await evaluationLog(header, all), { policies })),
    )
    const first = (found: typeof before) => found!.path.filter((point) => point.rows <= 400)
    expect(first(after)).toEqual(first(before))
    expect(after!.path.at(-1)).not.toEqual(before!.path.at(-1))
  })

  it('is narrower with a model of the reward than by weights alone, and both hold the truth', async () => {
    const rows = [...logRows(4000, 7)]
    const truth = worldMean((_x, z) => 0.5 + 0.3 * z)
    const widths = await Promise.all(
      [rows, rows.map(({ propensities: _, ...row }) => row)].map(async (all) => {
        const { policies } = evaluateAnytime(await evaluationLog(header, all), { policies: [fixed('a')] })
        const { low, high } = policies[0]!.anytime
        expect(low).toBeLessThan(truth)
        expect(high).toBeGreaterThan(truth)
        return high - low
      }),
    )
    expect(widths[0]).toBeLessThan(widths[1]! * 0.95)
  })

  it('is given for logs of more than one policy, and where it is asked for', async () => {
    const adaptive = await evaluationLog(header, learningLog(300, 2))
    const one = await evaluationLog(header, logRows(300, 2))
    const options = { policies: [fixed('a'), fixed('b')], replicates: 0 }
    expect(evaluateLog(adaptive, options).anytime?.rows).toBe(300)
    expect(evaluateLog(adaptive, { ...options, interval: 'fixed' }).anytime).toBeNull()
    expect(evaluateLog(one, options).anytime).toBeNull()
    expect(evaluateLog(one, { ...options, interval: 'anytime' }).anytime?.policies).toHaveLength(2)
  })
})
