import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import {
  decodeCovariate,
  type EncodedCovariate,
  encodeContext,
  encodePrediction,
  encodingOf,
  writeNeutral,
} from './encoding.js'
import {
  boolean,
  category,
  columnNames,
  encodeValue,
  insideUnit,
  number,
  scaleNumber,
  unscaleNumber,
} from './feature.js'
import type { Prediction } from './imputer.js'
import type { Problem } from './problem.js'

const column = { kind: 'column' } as const

const problem: Problem = {
  context: {
    age: number({ min: 20, max: 60 }),
    smoker: boolean(),
    town: category(['Ulm', 'Bonn'], { other: true }),
    sex: category(['f', 'm']),
  },
  covariates: {
    dose: { ...number({ min: 0, max: 10 }), imputer: column },
    carrier: { ...boolean(), imputer: column },
    blood: { ...category(['A', 'B', '0'], { other: true }), imputer: column },
  },
  actions: ['stay', 'go'],
  reward: { min: 0, max: 1 },
}
const encoding = encodingOf(problem)
const [dose, carrier, blood] = encoding.covariates as [EncodedCovariate, EncodedCovariate, EncodedCovariate]

function encoded(context: unknown): number[] {
  const out = new Float64Array(encoding.contextWidth)
  encodeContext(encoding, context, out)
  return [...out]
}

function predicted(covariate: EncodedCovariate, prediction: unknown): number[] | string {
  const out = new Float64Array(covariate.width).fill(-9)
  return encodePrediction(covariate, prediction as Prediction, out, 0) ?? [...out]
}

describe('columns', () => {
  test('follow the order of declaration, one per level of a category, "other" last', () => {
    expect(encoding.contextColumns).toEqual(['age', 'smoker', 'town=Ulm', 'town=Bonn', 'town=other', 'sex=f', 'sex=m'])
    expect(encoding.covariateColumns).toEqual(['dose', 'carrier', 'blood=A', 'blood=B', 'blood=0', 'blood=other'])
    expect([encoding.contextWidth, encoding.covariateWidth]).toEqual([7, 6])
    expect(encoding.covariates.map(({ name, at, width }) => [name, at, width])).toEqual([
      ['dose', 0, 1],
      ['carrier', 1, 1],
      ['blood', 2, 4],
    ])
    expect(columnNames('age', number({ min: 0, max: 1 }))).toEqual(['age'])
  })

  test('do not depend on the order in which a request names the features', () => {
    const a = encoded({ age: 30, smoker: true, town: 'Ulm', sex: 'm' })
    expect(encoded({ sex: 'm', town: 'Ulm', smoker: true, age: 30 })).toEqual(a)
  })

  test('of an action are found by its name', () => {
    expect(encoding.actionIndex.get('go')).toBe(1)
    expect(encoding.actionIndex.get('fly')).toBeUndefined()
  })
})

describe('values of a context', () => {
  test('become -1 to 1 for a number, 0 or 1 for a boolean and one-hot for a category', () => {
    expect(encoded({ age: 20, smoker: false, town: 'Ulm', sex: 'f' })).toEqual([-1, 0, 1, 0, 0, 1, 0])
    expect(encoded({ age: 60, smoker: true, town: 'Bonn', sex: 'm' })).toEqual([1, 1, 0, 1, 0, 0, 1])
    expect(encoded({ age: 40, smoker: true, town: 'Ulm', sex: 'm' })[0]).toBe(0)
  })

  test('of a category with "other" may be anything, which then counts as other', () => {
    const other = encoded({ age: 40, smoker: true, town: 'other', sex: 'm' })
    expect(other.slice(2, 5)).toEqual([0, 0, 1])
    expect(encoded({ age: 40, smoker: true, town: 'Trier', sex: 'm' })).toEqual(other)
  })

  test('are written where they are asked to be and nowhere else', () => {
    const out = new Float64Array(encoding.contextWidth + 4).fill(9)
    encodeContext(encoding, { age: 20, smoker: true, town: 'Ulm', sex: 'f' }, out, 2)
    expect([...out]).toEqual([9, 9, -1, 1, 1, 0, 0, 1, 0, 9, 9])
  })

  test('that are unknown, missing, of another type or out of range are errors that name field and value', () => {
    const good = { age: 30, smoker: true, town: 'Ulm', sex: 'f' }
    const cases: [unknown, string, RegExp][] = [
      [{ ...good, height: 3 }, 'unknown-feature', /context.*age, smoker, town, sex.*"height"/],
      [{ ...good, age: undefined }, 'missing-feature', /context\.age.*nothing/],
      [{ ...good, smoker: null }, 'missing-feature', /context\.smoker.*null/],
      [{ ...good, age: '30' }, 'wrong-type', /context\.age.*"30"/],
      [{ ...good, smoker: 1 }, 'wrong-type', /context\.smoker.*1/],
      [{ ...good, sex: true }, 'wrong-type', /context\.sex.*true/],
      [{ ...good, age: 19.999 }, 'out-of-range', /context\.age.*between 20 and 60.*19\.999/],
      [{ ...good, age: Number.NaN }, 'out-of-range', /context\.age.*NaN/],
      [{ ...good, age: Number.POSITIVE_INFINITY }, 'out-of-range', /context\.age.*Infinity/],
      [{ ...good, sex: 'x' }, 'unknown-level', /context\.sex.*"f", "m".*"x"/],
      [[], 'wrong-type', /context.*an array of 0/],
      [null, 'wrong-type', /context.*null/],
    ]
    for (const [context, code, sentence] of cases) {
      const error = errorOf(() => encoded(context))
      expect([error.code, error.message]).toEqual([code, expect.stringMatching(sentence)])
      if (context === null || Array.isArray(context)) continue
      const backwards = errorOf(() => encoded(Object.fromEntries(Object.entries(context as object).reverse())))
      expect([backwards.code, backwards.message]).toEqual([error.code, error.message])
    }
  })

  test('are errors in the order of declaration where several are', () => {
    const bad = { age: 30, smoker: 1, height: 3, sex: 'x' }
    expect(errorOf(() => encoded(bad)).message).toMatch(/context\.smoker/)
    expect(errorOf(() => encoded({ ...bad, smoker: true })).message).toMatch(/context\.town/)
    expect(errorOf(() => encoded({ height: 3, age: 30, smoker: true, town: 'Ulm', sex: 'x' })).message).toMatch(
      /context\.sex/,
    )
  })
})

describe('scaling', () => {
  const anyRange = fc
    .tuple(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.double({ min: 1e-3, max: 1e6, noNaN: true }))
    .map(([min, width]) => number({ min, max: min + width }))

  test('maps the ends of a range to -1 and 1 and back within rounding', () => {
    fc.assert(
      fc.property(anyRange, fc.double({ min: 0, max: 1, noNaN: true }), (feature, share) => {
        const { min, max } = feature
        const tolerance = 1e-9 * (Math.abs(min) + Math.abs(max))
        const value = min + share * (max - min)
        expect(scaleNumber(feature, min)).toBeCloseTo(-1, 6)
        expect(scaleNumber(feature, max)).toBeCloseTo(1, 6)
        expect(Math.abs(unscaleNumber(feature, scaleNumber(feature, value)) - value)).toBeLessThanOrEqual(tolerance)
      }),
    )
  })

  test('has half the range as its unit for a number and 1 for a probability', () => {
    expect(insideUnit(number({ min: 0, max: 10 }))).toBe(5)
    expect(insideUnit(boolean())).toBe(1)
    expect(insideUnit(category(['a']))).toBe(1)
  })
})

describe('a prediction', () => {
  test('of a number is scaled like a value', () => {
    expect(predicted(dose, 5)).toEqual([0])
    expect(predicted(dose, 10)).toEqual([1])
  })

  test('of a boolean is a probability, or true or false', () => {
    expect(predicted(carrier, 0.25)).toEqual([0.25])
    expect(predicted(carrier, true)).toEqual([1])
    expect(predicted(carrier, false)).toEqual([0])
  })

  test('of a category is a level or a map of probabilities, an absent level counting as 0', () => {
    expect(predicted(blood, 'B')).toEqual([0, 1, 0, 0])
    expect(predicted(blood, { A: 0.25, other: 0.75 })).toEqual([0.25, 0, 0, 0.75])
    expect(predicted(blood, { A: 0.5001, B: 0.5001 })).toEqual([0.5, 0.5, 0, 0])
  })

  test('of an unlisted level counts as other where the category has it, like an observed one', () => {
    expect(predicted(blood, 'Bombay')).toEqual([0, 0, 0, 1])
    const strict = { ...blood, width: 3, feature: { ...category(['A', 'B', '0']), imputer: column } }
    expect(predicted(strict, 'Bombay')).toBe('predicted the unknown level "Bombay"')
  })

  test('of -0 is 0, which is all that a log in JSON can say', () => {
    expect(Object.is((predicted(carrier, -0) as number[])[0], 0)).toBe(true)
    expect(Object.is((predicted(blood, { A: 1, B: -0 }) as number[])[1], 0)).toBe(true)
  })

  test('that is no value of the covariate says why instead', () => {
    const cases: [EncodedCovariate, unknown, string][] = [
      [dose, undefined, 'no prediction was given'],
      [dose, null, 'no prediction was given'],
      [dose, Number.NaN, 'predicted NaN'],
      [dose, '5', 'predicted "5"'],
      [dose, true, 'predicted true'],
      [dose, 10.5, 'predicted 10.5, outside 0 to 10'],
      [dose, Promise.resolve(5), 'predicted an object'],
      [carrier, -0.1, 'predicted -0.1'],
      [carrier, 1.1, 'predicted 1.1'],
      [carrier, Number.NaN, 'predicted NaN'],
      [carrier, 'yes', 'predicted "yes"'],
      [blood, 3, 'predicted 3'],
      [blood, { A: 0.5, C: 0.5 }, 'predicted the unknown level "C"'],
      [blood, { A: 0.5, B: 0.4 }, 'predicted probabilities that sum to 0.9'],
      [blood, { A: 1.5, B: -0.5 }, 'predicted probability 1.5 for "A"'],
      [blood, { A: Number.NaN, B: 1 }, 'predicted probability NaN for "A"'],
      [blood, { A: '0.5', B: 0.5 }, 'predicted probability "0.5" for "A"'],
      [blood, {}, 'predicted probabilities that sum to 0'],
    ]
    for (const [covariate, prediction, reason] of cases) expect(predicted(covariate, prediction)).toBe(reason)
  })
})

describe('a covariate', () => {
  test('is shown as a number, a probability or a map of probabilities', () => {
    const row = Float64Array.of(0.5, 0.25, 0.1, 0.2, 0.3, 0.4)
    expect(decodeCovariate(dose, row, dose.at)).toBe(7.5)
    expect(decodeCovariate(carrier, row, carrier.at)).toBe(0.25)
    expect(decodeCovariate(blood, row, blood.at)).toEqual({ A: 0.1, B: 0.2, 0: 0.3, other: 0.4 })
  })

  test('shows again what was observed', () => {
    const out = new Float64Array(4)
    encodeValue('blood', blood.feature, 'B', out, 0)
    expect(decodeCovariate(blood, out, 0)).toEqual({ A: 0, B: 1, 0: 0, other: 0 })
    encodeValue('dose', dose.feature, 2.5, out, 0)
    expect(decodeCovariate(dose, out, 0)).toBe(2.5)
  })

  test('that nobody can predict is in the middle: of the range, one half, or all levels alike', () => {
    const row = new Float64Array(encoding.covariateWidth)
    for (const covariate of encoding.covariates) writeNeutral(covariate, row, covariate.at)
    expect(decodeCovariate(dose, row, dose.at)).toBe(5)
    expect([...row]).toEqual([0, 0.5, 0.25, 0.25, 0.25, 0.25])
  })
})
