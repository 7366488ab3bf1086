import { Random } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import {
  addComparison,
  addEvidence,
  differenceInterval,
  type Evidence,
  meanInterval,
  noComparison,
  noEvidence,
  rangeInterval,
  weightedInterval,
} from './confidence-sequence.js'

const ROUNDS = 1500
/** The first hundred times, then every twelfth. */
const looked = (count: number) => count <= 100 || count % 12 === 0
const REPETITIONS = 400

/** Three arms that drift, epsilon-greedy on what came back so far: the log's propensities depend on its rewards. */
function adaptiveLog(random: Random, visit: (reward: number, propensity: number, means: readonly number[]) => boolean) {
  const sums = [1, 1, 1]
  const counts = [2, 2, 2]
  for (let t = 0; t < ROUNDS; t++) {
    const means = [0.3, 0.5 - (0.2 * t) / ROUNDS, 0.35 + (0.2 * t) / ROUNDS]
    const values = sums.map((sum, a) => sum / counts[a]!)
    const best = values.indexOf(Math.max(...values))
    const action = random.uniform() < 0.3 ? random.integer(3) : best
    const propensity = action === best ? 0.8 : 0.1
    const reward = random.uniform() < means[action]! ? 1 : 0
    sums[action]! += reward
    counts[action]!++
    const played = means.reduce((sum, mean, a) => sum + mean * (a === best ? 0.8 : 0.1), 0)
    if (!visit(reward, propensity, [played, (means[0]! + means[1]! + means[2]!) / 3])) return
  }
}

/** Share of repetitions in which the interval misses the running mean of the truths at any time. */
function missed(seed: number, kind: 'played' | 'uniform' | 'difference'): number {
  let misses = 0
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const random = Random.fromSeed(seed).split('repetition', repetition)
    const gained = noEvidence()
    const lost = noEvidence()
    const compared = noComparison()
    let truth = 0
    adaptiveLog(random, (reward, propensity, means) => {
      const weight = 1 / 3 / propensity
      addEvidence(gained, kind === 'played' ? reward : weight * reward)
      addEvidence(lost, weight * (1 - reward))
      addComparison(compared, weight, reward)
      truth += kind === 'difference' ? means[0]! - means[1]! : means[kind === 'played' ? 0 : 1]!
      if (!looked(gained.count)) return true
      const { low, high } =
        kind === 'played'
          ? meanInterval(gained)
          : kind === 'difference'
            ? differenceInterval(compared)
            : weightedInterval(gained, lost)
      const mean = truth / gained.count
      if (mean >= low && mean <= high) return true
      misses++
      return false
    })
  }
  return misses / REPETITIONS
}

describe('confidence sequences', () => {
  // Nominal 5%. The boundary is conservative: intervals that really missed in 5% would fail here half of the time.
  it.each(['played', 'uniform', 'difference'] as const)(
    'cover the value of the %s policy at 216 times up to 1,500 at once in at least 95% of 400 adaptive logs',
    (kind) => {
      expect(missed(7, kind)).toBeLessThanOrEqual(0.05)
    },
  )

  it('an interval for one time only, looked at all the time, misses far more often', () => {
    let misses = 0
    for (let repetition = 0; repetition < 300; repetition++) {
      const random = Random.fromSeed(11).split('repetition', repetition)
      let sum = 0
      for (let n = 1; n <= ROUNDS; n++) {
        sum += random.uniform() < 0.5 ? 1 : 0
        if (n >= 20 && Math.abs(sum / n - 0.5) > (1.96 * 0.5) / Math.sqrt(n)) {
          misses++
          break
        }
      }
    }
    expect(misses / 300).toBeGreaterThan(0.2)
  })

  it('of a difference are narrower than those of its parts together', () => {
    const random = Random.fromSeed(5)
    const [played, gained, lost, compared] = [noEvidence(), noEvidence(), noEvidence(), noComparison()]
    adaptiveLog(random, (reward, propensity) => {
      const weight = 1 / 3 / propensity
      addEvidence(played, reward)
      addEvidence(gained, weight * reward)
      addEvidence(lost, weight * (1 - reward))
      addComparison(compared, weight, reward)
      return true
    })
    const width = ({ low, high }: { low: number; high: number }) => high - low
    const parts = width(meanInterval(played)) + width(weightedInterval(gained, lost))
    expect(width(differenceInterval(compared))).toBeLessThan(0.8 * parts)
  })

  it('narrow with the square root of the count, and with the variance', () => {
    const half = (values: (i: number) => number, count: number) => {
      const evidence = noEvidence()
      for (let i = 0; i < count; i++) addEvidence(evidence, values(i))
      const { low, high } = meanInterval(evidence)
      return (high - low) / 2
    }
    const noisy = half((i) => i % 2, 40_000)
    expect(noisy).toBeLessThan(0.011)
    expect(half((i) => i % 2, 10_000) / noisy).toBeGreaterThan(1.8)
    expect(half((i) => 0.5 + 0.01 * (i % 2), 40_000)).toBeLessThan(noisy / 20)
  })

  it('agree with a naive second writing', () => {
    const values = [0, 1, 1, 0.25, 0.75, 1, 0]
    const evidence: Evidence = noEvidence()
    for (const value of values) addEvidence(evidence, value)
    let v = 0
    values.forEach((value, i) => {
      const before = values.slice(0, i)
      v += (value - (0.5 + before.reduce((a, b) => a + b, 0)) / (1 + i)) ** 2
    })
    expect(evidence.deviation).toBeCloseTo(v, 12)
    // The boundary at alpha = .025 by bisection on the mixture itself.
    const rates = Array.from({ length: 32 }, (_, k) => 0.9 / Math.SQRT2 ** k)
    const weights = rates.map((_, k) => 1 / (k + 3) ** 1.2)
    const total = weights.reduce((a, b) => a + b, 0)
    const mixture = (s: number) =>
      rates.reduce((sum, l, k) => sum + (weights[k]! / total) * Math.exp(l * s - (-Math.log(1 - l) - l) * v), 0)
    let [below, u] = [0, 100]
    for (let step = 0; step < 100; step++) {
      const middle = (below + u) / 2
      if (mixture(middle) < 40) below = middle
      else u = middle
    }
    const many = { count: 1000, sum: 500, deviation: v }
    expect(meanInterval(many).low).toBeCloseTo(0.5 - u / 1000, 9)
    expect(rangeInterval(many, { min: -1, max: 1 }).high).toBeCloseTo(2 * (u / 1000), 9)
  })

  it('say nothing before anything was seen', () => {
    expect(meanInterval(noEvidence())).toEqual({ low: 0, high: 1 })
  })
})
