import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { crossFit } from './cross-fit.js'
import { inSeenRange } from './nuisance-basis.js'

const ROWS = 1500

/** x fills [-1, 1] to its ends, a flag beside it; whether a value is observed bends in x. */
function drawn(scale: number, centre = 0) {
  const random = Random.fromSeed(8)
  const context = new Float64Array(2 * ROWS)
  const observed = new Uint8Array(ROWS)
  const odds = new Float64Array(ROWS)
  for (let i = 0; i < ROWS; i++) {
    const x = i === 0 ? -1 : i === 1 ? 1 : 2 * random.uniform() - 1
    const flag = random.uniform() < 0.3 ? 1 : 0
    odds[i] = 4 * (x * x - 1 / 3) + flag
    context.set([centre + x / scale, flag], 2 * i)
    observed[i] = random.uniform() < 1 / (1 + Math.exp(-odds[i]!)) ? 1 : 0
  }
  return { table: { context, contextWidth: 2, observed }, odds }
}

describe('a table in the range that was seen', () => {
  it('is the table itself where ranges are filled', () => {
    const { table } = drawn(1)
    expect(inSeenRange(table)).toBe(table)
    expect(inSeenRange(drawn(3).table).context).toEqual(drawn(3).table.context)
  })

  it.each([
    [100, 0],
    [1000, 0.7],
  ])('gives what a tight declaration gives, declared %i times too wide around %f', (scale, centre) => {
    const [tight, wide] = [drawn(1), drawn(scale, centre)].map(({ table }) =>
      crossFit(table, { random: Random.fromSeed(2) }),
    )
    expect(wide!.observationClass).toBe(tight!.observationClass)
    expect(tight!.observationClass).toBe('basis')
    wide!.probabilities.forEach((e, i) => {
      expect(e).toBeCloseTo(tight!.probabilities[i]!, 6)
    })
    const values = drawn(1).odds
    const [one, other] = [tight!, wide!].map((fit) => fit.regression(values).fitted)
    other!.forEach((value, i) => {
      expect(value).toBeCloseTo(one![i]!, 6)
    })
  })

  it('leaves columns that do not vary as they are', () => {
    const table = { context: Float64Array.of(1 / 64, 0.5, 1 / 32, 0.5), contextWidth: 2, observed: Uint8Array.of(1, 0) }
    expect(Array.from(inSeenRange(table).context)).toEqual([-1, 0.5, 1, 0.5])
  })
})
