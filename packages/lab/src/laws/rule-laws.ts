// Laws of an exploration rule, on 2,000 sets of scores with ties, one action, and actions that are not eligible.

import type { ExplorationOption } from '@primo/core'
import { createEngine, requirePropensities } from '@primo/core/engine'
import { Random } from '@primo/numeric'
import { keep, keepEqual } from './law.js'

const CASES = 2000
const MAX_ACTIONS = 8
const GAMMAS = [0, 1, 20, 1e4]
const UNTOUCHED = -7

/**
 * Runs the laws of an exploration rule on yours; throws an error whose sentence names the first law that is broken.
 * @example
 * test('my rule keeps the laws', () => checkExplorationRule(myRule))
 */
export function checkExplorationRule(rule: ExplorationOption): void {
  const who = `exploration rule "${rule.kind}"`
  const random = Random.fromSeed(17)
  for (let number = 0; number < CASES; number++) {
    const actions = 1 + random.integer(MAX_ACTIONS)
    const engine = createEngine(
      {
        context: {},
        covariates: {},
        actions: Array.from({ length: actions }, (_, a) => `a${a}`),
        reward: { min: 0, max: 1 },
      },
      { exploration: rule },
    )
    const rows = Array.from({ length: actions }, () => random.integer(200))
    const fitted = { sigma: 0.01 + random.uniform(), rows, weight: rows.reduce((sum, n) => sum + n, 0) }
    const gamma = GAMMAS[number % GAMMAS.length]!
    const weigh = engine.exploration.compile({ actions, gamma, fitted })
    const eligible = Int32Array.from({ length: actions }, (_, a) => a).filter(
      (a) => a === 0 || number % 3 > 0 || random.uniform() < 0.5,
    )
    const count = eligible.length
    // Every third set has ties: scores on a grid of four values.
    const drawn = () => (number % 3 === 0 ? random.integer(4) / 4 : random.uniform())
    const scores = Float64Array.from(eligible, drawn)
    const widths = Float64Array.from(eligible, () => 1e-3 + random.uniform())
    const which = count === actions ? undefined : eligible
    const p = new Float64Array(count)
    weigh(scores, widths, count, p, 0, which)
    requirePropensities(who, p, count)

    const again = new Float64Array(count)
    engine.exploration.compile({ actions, gamma, fitted })(scores, widths, count, again, 0, which)
    keepEqual(who, 'give the same propensities for the same scores', p, again)

    const first = 3
    const moved = (values: Float64Array) => {
      const out = new Float64Array(count + 2 * first).fill(UNTOUCHED)
      out.set(values, first)
      return out
    }
    const [manyScores, manyWidths] = [moved(scores), moved(widths)]
    const out = moved(new Float64Array(count))
    weigh(manyScores, manyWidths, count, out, first, which)
    const own = out.slice(first, first + count)
    keepEqual(who, 'give the same propensities wherever the scores begin (at)', p, own)
    keepEqual(who, 'write the propensities of its own actions and nothing else', moved(own), out)
    keepEqual(who, 'leave the scores alone', manyScores, moved(scores))
    keepEqual(who, 'leave the widths alone', manyWidths, moved(widths))
  }
  const named = JSON.stringify((rule as { options?: unknown }).options ?? {})
  keep(who, 'have options that are JSON', named !== undefined, 'options that are none')
}
