import { Random } from '@primo/numeric'
import { expect, it } from 'vitest'
import { setByRewards } from './bounds.js'
import { boundsRows, meanWhereMissing } from './bounds-worlds.js'

// At a coverage of 95%, fewer than 33 of 40 has a probability of 0.07%.
it('sets hold the mean where rewards bend by less than few rows can show', () => {
  const random = Random.fromSeed(1)
  let covered = 0
  for (let table = 0; table < 40; table++) {
    const rows = boundsRows('bend', 'above the mean hidden', 3000, random.split(table))
    const truth = meanWhereMissing(rows)
    const { set } = setByRewards('bend', rows)
    if (set !== null && set.lower <= truth && truth <= set.upper) covered++
  }
  expect(covered).toBeGreaterThanOrEqual(33)
}, 60_000)
