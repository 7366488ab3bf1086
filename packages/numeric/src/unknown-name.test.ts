import { expect, test } from 'vitest'
import { entryOf, nearestName, unknownName } from './unknown-name.js'

test.each([
  ['agee', ['age', 'weight'], 'age'],
  ['aeg', ['age', 'weight'], 'age'],
  ['event_id', ['eventId', 'subject'], 'eventId'],
  ['minimum', ['min', 'max'], 'min'],
  ['imputr', ['imputer', 'reveals'], 'imputer'],
  ['budjet', ['timeout', 'budget'], 'budget'],
  ['smoker', ['age', 'weight'], undefined],
  ['x', ['y'], undefined],
  ['', ['age'], undefined],
])('%s among %s: %s', (name, known, nearest) => {
  expect(nearestName(name, known)).toBe(nearest)
})

test('the sentence names the place, the guess and what is known', () => {
  expect(unknownName('reward', 'maxx', ['min', 'max'])).toBe(
    'reward must have only the fields min, max, got "maxx" (did you mean "max"?)',
  )
  expect(unknownName('context', 'x', [], 'feature')).toBe('context must have no features, got "x"')
})

test('what every object has is not listed under a name', () => {
  const list = { age: 1 }
  expect(entryOf(list, 'age')).toBe(1)
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'weight', undefined, 3])
    expect(entryOf(list, name)).toBeUndefined()
})
