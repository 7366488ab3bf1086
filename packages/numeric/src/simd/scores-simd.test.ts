import { describe, expect, test } from 'vitest'
import { linearScores } from '../algebra/linear-scores.js'
import { interleaved, quadraticForms } from '../algebra/quadratic-forms.js'
import { Random } from '../random/random.js'
import { actionGroups, simdScores } from './scores-simd.js'

describe('scores with SIMD', () => {
  test('are there on this machine', () => {
    expect(simdScores).not.toBeNull()
  })

  // Groups of one to five vectors, with and without a lane to spare, and more than one group.
  test.each([1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 20])(
    'have the bits of the plain kernels with %i actions',
    (actions) => {
      const random = Random.fromSeed(actions)
      const wild = () => random.normal() * 10 ** (6 * random.uniform() - 3)
      for (const columns of [1, 2, 3, 12, 25]) {
        for (const count of [1, 2, 7, 64]) {
          const theta = Array.from({ length: actions }, () => Array.from({ length: columns }, wild))
          const matrices = Array.from({ length: actions }, () => Array.from({ length: columns ** 2 }, wild))
          const rows = Float64Array.from({ length: count * columns }, wild)
          const expected = new Float64Array(count * actions)
          const forms = new Float64Array(count * actions)
          const out = new Float64Array(actions)
          const variances = new Float64Array(actions + 3)
          const groups = interleaved(matrices)
          const flat = Float64Array.from(theta.flat())
          for (let row = 0; row < count; row++) {
            const phi = rows.subarray(row * columns, (row + 1) * columns)
            linearScores(flat, actions, phi, columns, out)
            expected.set(out, row * actions)
            quadraticForms(groups, phi, columns, variances)
            forms.set(variances.subarray(0, actions), row * actions)
          }
          const triangles = matrices.map((matrix) =>
            matrix.filter((_, index) => index % columns >= Math.floor(index / columns)),
          )
          const found = new Float64Array(count * actions + 3)
          simdScores!.rows(rows.length).set(rows)
          simdScores!.scores(actionGroups(theta), count, columns, found, 3, actions)
          expect(found.subarray(3)).toEqual(expected)
          simdScores!.forms(actionGroups(triangles), count, columns, found, 3, actions)
          expect(found.subarray(3).map((value) => Math.max(0, value))).toEqual(forms)
        }
      }
    },
  )

  test('do not depend on what else stood in the memory, nor on the room it took', () => {
    const random = Random.fromSeed(3)
    const normals = (count: number) => Array.from({ length: count }, () => random.normal())
    // Together more than the memory keeps; one is longer than the room in front of it.
    const models = [...Array.from({ length: 45 }, () => 900), 40_000].map((columns) => {
      const theta = Array.from({ length: 8 }, () => normals(columns))
      const phi = Float64Array.from(normals(columns))
      const expected = new Float64Array(8)
      linearScores(Float64Array.from(theta.flat()), 8, phi, columns, expected)
      return { columns, phi, expected, groups: actionGroups(theta) }
    })
    for (let k = 0; k < 200; k++) {
      const { columns, phi, expected, groups } = models[random.integer(models.length)]!
      const found = new Float64Array(8)
      simdScores!.rows(columns).set(phi)
      simdScores!.scores(groups, 1, columns, found, 0, 8)
      expect(found).toEqual(expected)
    }
  })
})
