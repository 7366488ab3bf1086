import fc from 'fast-check'
import { expect, test } from 'vitest'
import { smallProblem } from '../running.fixture.js'
import { canonicalJson, sameJson } from './canonical-json.js'
import { changeOf } from './definition-change.js'

test('the same JSON is that of the same canonical text', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  const shuffled = (one: unknown): unknown =>
    typeof one !== 'object' || one === null
      ? one
      : Array.isArray(one)
        ? one.map(shuffled)
        : Object.fromEntries(
            Object.entries(one)
              .reverse()
              .map(([name, inner]) => [name, shuffled(inner)]),
          )
  const pairs = fc.oneof(
    fc.tuple(value, value),
    value.map((one) => [one, shuffled(one)] as const),
  )
  fc.assert(fc.property(pairs, ([a, b]) => sameJson(a, b) === (canonicalJson(a) === canonicalJson(b))))
  fc.assert(fc.property(value, (one) => sameJson(one, shuffled(one))))
  expect(canonicalJson({ b: [{ d: 1, c: undefined }], a: null })).toBe('{"a":null,"b":[{"d":1}]}')
  for (const [a, b] of [
    [{ a: undefined }, {}],
    [{ a: 1 }, { a: 1, b: undefined }],
    [Number.NaN, null],
  ])
    expect(sameJson(a, b)).toBe(true)
  for (const [a, b] of [
    [{}, []],
    [{ a: null }, {}],
    [[1], [1, 2]],
    [{ a: 1 }, null],
    [{}, { constructor: 1 }],
    [JSON.parse('{"__proto__":{}}'), {}],
  ])
    expect(sameJson(a, b), JSON.stringify([a, b])).toBe(false)
})

test('a definition with a large table is compared in less time than it takes to write it a few times', () => {
  const rows = Array.from({ length: 60_000 }, (_, k) => ({
    when: { g: `v${k % 16}`, h: `v${k % 7}` },
    value: k / 60_000,
  }))
  const of = (last: number) => {
    const imputer = { kind: 'table', by: ['g', 'h'], rows: [...rows, { when: {}, value: last }] }
    return smallProblem({ covariates: { z: { type: 'number', min: 0, max: 1, imputer } } as never })
  }
  const [before, after] = [of(0.5), of(0.25)]
  const timed = (run: () => unknown) => {
    const times = [1, 2, 3].map(() => {
      const { user, system } = process.cpuUsage()
      run()
      const spent = process.cpuUsage({ user, system })
      return spent.user + spent.system
    })
    return Math.min(...times)
  }
  const row = { definition: before, retired: null, name: 'p' }
  expect(changeOf(row, after, false)).toMatchObject({ change: 'recalibrated', models: ['z'] })
  expect(timed(() => changeOf(row, after, false))).toBeLessThan(5 * timed(() => JSON.stringify(after)))
})
