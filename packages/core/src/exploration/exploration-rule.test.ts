import { Random } from '@primo/numeric'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BuiltInExploration } from './built-in-rules.js'
import { bindRule, type ExplorationRule } from './exploration-rule.js'

const rules: readonly BuiltInExploration[] = [
  { kind: 'inverse-gap-weighting' },
  { kind: 'greedy' },
  { kind: 'epsilon-greedy', epsilon: 0.1 },
  { kind: 'linucb', alpha: 1 },
  { kind: 'lints', spread: 1 },
  { kind: 'probability-matching' },
]

const instance = fc.array(
  fc.record({
    score: fc.double({ min: 0, max: 1, noNaN: true }),
    width: fc.double({ min: 1e-6, max: 1, noNaN: true }),
  }),
  {
    minLength: 1,
    maxLength: 15,
  },
)

function propensities(
  rule: BuiltInExploration,
  actions: readonly { score: number; width: number }[],
  gamma = 20,
): Float64Array {
  const out = new Float64Array(actions.length)
  const scores = Float64Array.from(actions, ({ score }) => score)
  const widths = Float64Array.from(actions, ({ width }) => width)
  const fitted = { sigma: 1, rows: [], weight: 0 }
  bindRule(rule).compile({ actions: actions.length, gamma, fitted })(scores, widths, actions.length, out)
  return out
}

describe('every exploration rule', () => {
  it.each(rules)('$kind gives propensities between 0 and 1 that sum to one, the same each time', (rule) => {
    fc.assert(
      fc.property(instance, (actions) => {
        const p = propensities(rule, actions)
        expect(p.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12)
        for (const value of p) {
          expect(value).toBeGreaterThanOrEqual(0)
          expect(value).toBeLessThanOrEqual(1)
        }
        expect(propensities(rule, actions)).toEqual(p)
      }),
    )
  })
})

describe('linear Thompson sampling', () => {
  it('plays each action as often as it wins among posterior draws', () => {
    const random = Random.fromSeed(8)
    const actions = [
      { score: 0.5, width: 0.1 },
      { score: 0.55, width: 0.05 },
      { score: 0.4, width: 0.2 },
      { score: 0.1, width: 0.02 },
    ]
    const p = propensities({ kind: 'lints', spread: 1 }, actions)
    const draws = 200_000
    const wins = new Float64Array(4)
    for (let i = 0; i < draws; i++) {
      const sampled = actions.map(({ score, width }) => score + width * random.normal())
      wins[sampled.indexOf(Math.max(...sampled))]! += 1 / draws
    }
    // Monte-Carlo error at most .0011 each; the quadrature's own error is about as large.
    p.forEach((value, a) => {
      expect(Math.abs(value - wins[a]!)).toBeLessThan(0.006)
    })
  })

  it('is greedy when one action is beyond doubt', () => {
    expect([
      ...propensities({ kind: 'lints', spread: 1 }, [
        { score: 0.9, width: 0.01 },
        { score: 0.1, width: 0.01 },
      ]),
    ]).toEqual([1, 0])
  })
})

describe('probability matching with a floor', () => {
  it('keeps floor/(K + gamma gap) for every action, also where one is beyond doubt', () => {
    const actions = [
      { score: 0.9, width: 0.01 },
      { score: 0.1, width: 0.01 },
      { score: 0.5, width: 0.01 },
    ]
    const p = propensities({ kind: 'probability-matching' }, actions, 20)
    expect(p[1]).toBeCloseTo(0.1 / (3 + 20 * 0.8), 12)
    expect(p[2]).toBeCloseTo(0.1 / (3 + 20 * 0.4), 12)
  })
})

describe('LinUCB', () => {
  it('plays the largest upper limit, the first of equal ones', () => {
    const actions = [
      { score: 0.5, width: 0.1 },
      { score: 0.4, width: 0.3 },
      { score: 0.4, width: 0.3 },
    ]
    expect([...propensities({ kind: 'linucb', alpha: 1 }, actions)]).toEqual([0, 1, 0])
    expect([...propensities({ kind: 'linucb', alpha: 0 }, actions)]).toEqual([1, 0, 0])
  })
})

it('refuses rules that are none, with the field and the value', () => {
  expect(() => bindRule({ kind: 'epsilon-greedy', epsilon: 1.5 })).toThrow(
    'exploration.epsilon must be between 0 and 1, got 1.5',
  )
  expect(() => bindRule({ kind: 'linucb', alpha: -1 })).toThrow('exploration.alpha must be >= 0, got -1')
  expect(() => bindRule({ kind: 'lints', spread: 0 })).toThrow('exploration.spread must be a finite number > 0, got 0')
  expect(() => bindRule({ kind: 'softmax' } as unknown as BuiltInExploration)).toThrow('"softmax"')
  expect(() => bindRule({ kind: 'greedy', epsilon: 0 } as unknown as BuiltInExploration)).toThrow('"epsilon"')
})

describe("a user's rule", () => {
  const first: ExplorationRule<{ share: number }> = {
    kind: 'first',
    version: '1',
    options: { share: 0.9 },
    check: ({ share }) => {
      if (!(share <= 1)) throw new RangeError(`share must be at most 1, got ${share}`)
    },
    compile:
      ({ options: { share } }) =>
      (_scores, _widths, count, out, at = 0) => {
        out.fill((1 - share) / (count - 1), at, at + count)
        out[at] = share
      },
  }
  const use: readonly ExplorationRule[] = [first]
  const weigh = (rule: ExplorationRule, named = {}) => {
    const out = new Float64Array(2)
    const bound = bindRule({ kind: rule.kind, version: rule.version, ...named }, [rule])
    bound.compile({ actions: 2, gamma: 0, fitted: { sigma: 1, rows: [], weight: 0 } })(out, out, 2, out)
    return [...out]
  }

  it('is bound by kind and version, with its own options and those that are given', () => {
    expect(weigh(use[0]!)[0]).toBe(0.9)
    expect(weigh(use[0]!, { options: { share: 0.6 } })[0]).toBe(0.6)
    expect(() => weigh(use[0]!, { options: { share: 2 } })).toThrow('share must be at most 1, got 2')
  })

  it('is refused in another version, under a built-in name, and with options beside its name', () => {
    expect(() => bindRule({ kind: 'first', version: '2' }, use)).toThrow(
      'exploration.version must be one that is in use for "first" ("1"), got "2"',
    )
    expect(() => weigh({ ...use[0]!, kind: 'greedy' })).toThrow('exploration.kind must be text unlike every built-in')
    expect(() => weigh({ ...use[0]!, version: '' })).toThrow('exploration.version must be non-empty text')
    expect(() => weigh(use[0]!, { share: 0.5 })).toThrow('"share"')
  })

  it('must give probabilities in every decision', () => {
    const broken = (values: readonly number[]): ExplorationRule => ({
      kind: 'broken',
      version: '1',
      compile: () => (_scores, _widths, _count, out) => out.set(values),
    })
    expect(() => weigh(broken([0.7, 0.7]))).toThrow('rule "broken" must give propensities that sum to one, got 1.4')
    expect(() => weigh(broken([1.5, -0.5]))).toThrow('must give propensities between 0 and 1, got 1.5')
    expect(() => weigh(broken([Number.NaN, 1]))).toThrow('must give propensities between 0 and 1, got NaN')
  })
})
