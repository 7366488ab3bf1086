import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { categoryLevels } from './levels.js'
import { type MissingSetInput, missingSet, type Witness } from './missing-set.js'

/** Log-odds of being seen by a covariate's distance from what the context says. */
type Mechanism = (distance: number) => number

interface Rows extends MissingSetInput {
  /** The mean over missing rows. */
  readonly truth: number
}

interface World {
  readonly count: number
  readonly seed: number
  readonly mechanism: Mechanism
  /** Booleans, or numbers in [-1, 1]. */
  readonly boolean?: boolean
  /** How strongly the witness reacts to the covariate. */
  readonly slope?: number
}

/** One context x, z = x/2 + noise, and a witness that sees x and z. */
function rowsOf({ count, seed, mechanism, boolean = false, slope = 1 }: World): Rows {
  const random = Random.fromSeed(seed)
  const context = new Float64Array(count)
  const covariate = new Float64Array(count)
  const observed = new Uint8Array(count)
  const values = new Float64Array(count)
  let sum = 0
  let missing = 0
  for (let row = 0; row < count; row++) {
    const x = 2 * random.uniform() - 1
    const z = boolean ? (random.uniform() < 0.5 + x / 4 ? 1 : 0) : x / 2 + random.uniform() - 0.5
    const distance = boolean ? z - 0.5 - x / 4 : z - x / 2
    context[row] = x
    covariate[row] = z
    observed[row] = random.uniform() < 1 / (1 + Math.exp(-mechanism(distance))) ? 1 : 0
    values[row] = slope * z - 0.5 * x + 0.5 * random.normal()
    if (observed[row] === 1) continue
    sum += z
    missing++
    covariate[row] = 0
  }
  const witness: Witness = { name: 'w', values, group: null, weights: null }
  const levels = boolean ? { category: categoryLevels(2), target: Float64Array.of(0, 1) } : {}
  return { count, context, contextWidth: 1, observed, covariate, witnesses: [witness], ...levels, truth: sum / missing }
}

const mechanisms: readonly (readonly [string, Mechanism])[] = [
  ['at random', () => 0],
  ['low values hidden', (distance) => 3 * distance],
  ['high values hidden', (distance) => -3 * distance],
]

describe('the set of a mean over missing rows', () => {
  // 60 seeds each; at a coverage of 95% fewer than 50 of 60 has a probability of 0.02%, so 0.2% for all six.
  it.each(mechanisms.flatMap(([name, mechanism]) => [false, true].map((boolean) => ({ name, mechanism, boolean }))))(
    'holds the mean: $name, boolean $boolean',
    ({ mechanism, boolean }) => {
      let covered = 0
      for (let seed = 1; seed <= 60; seed++) {
        const { truth, ...rows } = rowsOf({ count: 400, seed, mechanism, boolean })
        const { set } = missingSet(rows)
        if (set !== null && set.lower <= truth && truth <= set.upper) covered++
      }
      expect(covered).toBeGreaterThanOrEqual(50)
    },
  )

  it('narrows with rows and with a witness that reacts more, and excludes what missing at random would say', () => {
    const widthOf = (count: number, slope: number) => {
      const { set } = missingSet(rowsOf({ count, seed: 1, mechanism: (distance) => 4 * distance, slope }))
      return set!.upper - set!.lower
    }
    expect(widthOf(8000, 1) / widthOf(500, 1)).toBeLessThan(0.4)
    expect(widthOf(2000, 2)).toBeLessThan(0.7 * widthOf(2000, 1))
    const { truth, ...rows } = rowsOf({ count: 4000, seed: 1, mechanism: (distance) => 4 * distance })
    const { wide } = missingSet(rows)
    const seen = Array.from(rows.context.keys()).filter((row) => rows.observed[row] === 1)
    const atRandom = seen.reduce((sum, row) => sum + rows.covariate[row]! - rows.context[row]! / 2, 0) / seen.length
    // Contexts of seen and missing rows are alike, so at random missing ones have the seen ones' distance.
    expect(wide!.upper).toBeLessThan(atRandom)
    expect(wide!.lower).toBeLessThan(truth)
  })

  it('is the range of what was seen without a witness, and with one that the context alone decides', () => {
    const { truth: _, ...rows } = rowsOf({ count: 1000, seed: 2, mechanism: () => 0 })
    const nothing = missingSet({ ...rows, witnesses: [] })
    expect(nothing.set).toEqual(nothing.range)
    expect(nothing.equations).toBe(0)
    const context = { ...rows.witnesses[0]!, values: rows.context.map((x) => 3 * x + 1) }
    const { set, range } = missingSet({ ...rows, witnesses: [context] })
    expect(set).toEqual(range)
  })

  it('follows a witness that reacts more in some contexts than in others', () => {
    const { truth: _, ...rows } = rowsOf({ count: 6000, seed: 4, mechanism: (distance) => 3 * distance })
    const whole = rowsOf({ count: 6000, seed: 4, mechanism: () => 100 })
    const values = whole.covariate.map(
      (z, row) => (1 + 2 * rows.context[row]!) * z + 0.3 * Math.sin(row * row) + 0.1 * Math.cos(7 * row),
    )
    const truth = whole.covariate.reduce((sum, z, row) => (rows.observed[row] === 1 ? sum : sum + z), 0)
    const missing = Array.from(rows.observed).filter((seen) => seen === 0).length
    const { set, equations } = missingSet({ ...rows, witnesses: [{ ...rows.witnesses[0]!, values }] })
    expect(equations).toBeGreaterThan(1)
    expect(set!.lower).toBeLessThan(truth / missing)
    expect(set!.upper).toBeGreaterThan(truth / missing)
  })

  it('holds the mean where actions are hardly ever played in parts of the contexts', () => {
    // z bends in x, and each action is played on one side of x = 0.3 alone, but for one round in a thousand. 40 seeds: at a coverage of
    // 95% fewer than 33 has a probability of 0.1%.
    const count = 4000
    let covered = 0
    for (let seed = 1; seed <= 40; seed++) {
      const random = Random.fromSeed(seed)
      const context = new Float64Array(count)
      const covariate = new Float64Array(count)
      const values = new Float64Array(count)
      const weights = new Float64Array(count)
      const observed = new Uint8Array(count)
      const played = new Uint16Array(count)
      let sum = 0
      for (let row = 0; row < count; row++) {
        const x = 2 * random.uniform() - 1
        const z = Math.max(-1, Math.min(1, 1.2 * (x * x - 1 / 3) + 0.25 * random.normal()))
        const usual = random.uniform() >= 0.001
        const action = x > 0.3 === usual ? 1 : 0
        context[row] = x
        observed[row] = random.uniform() < 1 / (1 + Math.exp(3 * z)) ? 1 : 0
        played[row] = action
        values[row] = (action === 0 ? -0.4 : 0.4) * z + 0.3 * x + 0.3 * random.normal()
        weights[row] = usual ? 1 / 0.999 : 50
        if (observed[row] === 1) covariate[row] = z
        else sum += z
      }
      const witness: Witness = { name: 'reward', values, group: { of: played, count: 2 }, weights }
      const { set } = missingSet({ count, context, contextWidth: 1, observed, covariate, witnesses: [witness] })
      const truth = sum / observed.filter((seen) => seen === 0).length
      if (set !== null && set.lower <= truth && truth <= set.upper) covered++
    }
    expect(covered).toBeGreaterThanOrEqual(33)
  })

  it('leaves room for a level that was never seen', () => {
    const { truth: _, ...rows } = rowsOf({ count: 800, seed: 5, mechanism: () => 0, boolean: true })
    const target = Float64Array.of(0, 0, 1)
    const { set } = missingSet({ ...rows, category: categoryLevels(3), target })
    expect(set!.lower).toBe(0)
    expect(set!.upper).toBeGreaterThan(0.2)
  })
})
