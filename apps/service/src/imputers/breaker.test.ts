import { expect, test } from 'vitest'
import { createBreaker } from './breaker.js'

function at(failures: number, pause: number) {
  const clock = { now: 0 }
  return { clock, breaker: createBreaker({ failures, pause }, () => clock.now) }
}

test('opens after failures in a row, and a success in between starts the count again', () => {
  const { breaker } = at(3, 100)
  breaker.failed()
  breaker.failed()
  breaker.succeeded()
  breaker.failed()
  breaker.failed()
  expect(breaker.allows()).toBe(true)
  breaker.failed()
  expect(breaker.state()).toBe('open')
  expect(breaker.allows()).toBe(false)
})

test('lets one probe through after the pause; it closes the circuit or doubles the pause', () => {
  const { clock, breaker } = at(1, 100)
  breaker.failed()
  clock.now = 99
  expect(breaker.allows()).toBe(false)
  clock.now = 100
  expect(breaker.state()).toBe('half-open')
  expect(breaker.allows()).toBe(true)
  expect(breaker.allows()).toBe(false)
  breaker.failed()
  clock.now = 299
  expect(breaker.allows()).toBe(false)
  clock.now = 300
  expect(breaker.allows()).toBe(true)
  breaker.succeeded()
  expect(breaker.state()).toBe('closed')
  breaker.failed()
  clock.now = 400
  expect(breaker.allows()).toBe(true)
})

test('an answer from before it opened does not close it', () => {
  const { breaker } = at(1, 100)
  breaker.failed()
  breaker.succeeded()
  expect(breaker.state()).toBe('open')
})

test('the pause does not grow beyond half a minute', () => {
  const { clock, breaker } = at(1, 20_000)
  breaker.failed()
  for (let probe = 0; probe < 4; probe++) {
    clock.now += 30_000
    expect(breaker.allows()).toBe(true)
    breaker.failed()
  }
})
