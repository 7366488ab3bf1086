import { expect, it } from 'vitest'
import { tell } from './event-stream.js'

it('tells events with their name and data; comments are not told', () => {
  const heard: unknown[] = []
  const hear = (event: string, data: unknown) => heard.push([event, data])
  tell('event: policy\ndata: {"version":3}', hear)
  tell(': still here', hear)
  expect(heard).toEqual([['policy', { version: 3 }]])
})
