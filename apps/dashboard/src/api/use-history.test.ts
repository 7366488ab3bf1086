import type { History, HistoryBucket } from '@primo/contract'
import { expect, it } from 'vitest'
import { joined } from './use-history.js'

const bucket = (time: number, decisions: number) => ({ time, decisions }) as HistoryBucket
const history = (change: Partial<History>) =>
  ({ partial: true, complete: true, cursor: 'a', from: 10, buckets: [], latest: [], ...change }) as History

it('puts what changed in its place, adds what is new and forgets what is too old', () => {
  const before = history({ buckets: [bucket(0, 1), bucket(10, 2), bucket(20, 3)] })
  const after = joined(before, history({ cursor: 'b', buckets: [bucket(20, 4), bucket(30, 1)] }))
  expect(after.buckets).toEqual([bucket(10, 2), bucket(20, 4), bucket(30, 1)])
  expect(after.cursor).toBe('b')
})

it('is the same object where nothing has changed, and the whole answer where that is one', () => {
  const before = history({ buckets: [bucket(10, 2)] })
  expect(joined(before, history({}))).toBe(before)
  const whole = history({ partial: false, buckets: [bucket(40, 1)] })
  expect(joined(before, whole)).toBe(whole)
})
