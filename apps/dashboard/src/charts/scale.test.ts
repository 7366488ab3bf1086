import { describe, expect, it } from 'vitest'
import { duration, figure, percent, timeTick } from './number-format.js'
import { linearScale, roundTicks, timeTicks } from './scale.js'

describe('axes', () => {
  it('put ticks at round numbers inside the range', () => {
    expect(roundTicks(0, 812, 5)).toEqual([0, 200, 400, 600, 800])
    expect(roundTicks(0.03, 0.11, 4)).toEqual([0.04, 0.06, 0.08, 0.1])
    expect(roundTicks(5, 5, 4)).toEqual([5])
  })

  it('put ticks of time at full units', () => {
    expect(timeTicks(61_000, 200_000, 3)).toEqual([120_000, 180_000])
    const days = timeTicks(0, 40 * 86_400_000, 5)
    expect(days.every((tick) => tick % 86_400_000 === 0)).toBe(true)
    expect(days.length).toBeLessThanOrEqual(6)
  })

  it('map values to pixels', () => {
    const { at } = linearScale(10, 20, 100, 0, 4)
    expect([at(10), at(15), at(20)]).toEqual([100, 50, 0])
  })
})

describe('numbers', () => {
  it('of a time axis say no more than tells them apart', () => {
    const noon = new Date(2030, 0, 7, 12).getTime()
    expect([1, 60, 2 * 1440, 9 * 1440].map((minutes) => timeTick(noon, minutes * 60_000))).toEqual([
      '12:00:00',
      '12:00',
      '7 Jan 12:00',
      '7 Jan',
    ])
  })

  it('are short and not rounded to a lie', () => {
    expect([figure(1234.5), figure(0.61553), figure(0), figure(12.34), figure(Number.NaN)]).toEqual([
      '1,235',
      '0.616',
      '0',
      '12.3',
      'not known',
    ])
    expect([percent(0.998), percent(0.9999), percent(1), percent(0.004), percent(0.5)]).toEqual([
      '99.8%',
      '> 99.9%',
      '100%',
      '0.4%',
      '50%',
    ])
    expect([duration(0), duration(3.2), duration(1500), duration(600_000)]).toEqual(['0', '3.2 ms', '1.5 s', '10 min'])
  })
})
