import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listTexts } from './list-texts.js'

test('the texts of a list are those of its elements, whatever they hold and however they are spaced', () => {
  const element = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(fc.array(element, { minLength: 1 }), fc.constantFrom(undefined, 1, '\t'), (decisions, space) => {
      const texts = listTexts(` ${JSON.stringify({ decisions }, null, space)}\n`, 'decisions', decisions.length)
      expect(texts?.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(decisions)))
    }),
  )
})

test.each([
  ['another field', '{"rewards":[{}]}'],
  ['a field beside it', '{"a":1,"decisions":[{}]}'],
  ['a field behind it', '{"decisions":[{}],"a":1}'],
  ['the field twice', '{"decisions":[{"a":1}],"decisions":[{}]}'],
  ['a name written with escapes', '{"\\u0064ecisions":[{}]}'],
  ['elements that are no objects', '{"decisions":[1]}'],
])('a body with %s is left to others', (_, body) => {
  expect(listTexts(body, 'decisions', 1)).toBeUndefined()
})
