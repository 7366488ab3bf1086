import { describe, expect, it } from 'vitest'
import { tell } from './api/event-stream.js'
import { routeOf } from './route.js'
import { stretches, sweepTitle } from './views/sweep-findings.js'

describe('addresses', () => {
  it('lead to views', () => {
    expect(routeOf('')).toEqual({ view: 'overview' })
    expect(routeOf('#/')).toEqual({ view: 'overview' })
    expect(routeOf('#/problems/dosing')).toEqual({ view: 'problem', problem: 'dosing' })
    expect(routeOf('#/problems/dosing/decisions')).toEqual({ view: 'explorer', problem: 'dosing', id: null })
    expect(routeOf('#/problems/dosing/decisions/a%2Fb')).toEqual({ view: 'explorer', problem: 'dosing', id: 'a/b' })
    expect(routeOf('#/problems/p/other')).toEqual({ view: 'unknown' })
    expect(routeOf('#/%E0%A4%A')).toEqual({ view: 'unknown' })
  })
})

describe('events', () => {
  it('are told with their name and data; comments are not', () => {
    const heard: unknown[] = []
    const hear = (event: string, data: unknown) => heard.push([event, data])
    tell('event: policy\ndata: {"version":3}', hear)
    tell(': still here', hear)
    expect(heard).toEqual([['policy', { version: 3 }]])
  })
})

describe('a sweep', () => {
  const point = (value: number, action: string) => ({ value, action, scores: {}, propensities: {} })
  it('says where the preferred action changes', () => {
    const points = [point(0, 'high'), point(1, 'high'), point(2, 'low')]
    expect(stretches(points)).toEqual([
      { action: 'high', from: 0, to: 1 },
      { action: 'low', from: 2, to: 2 },
    ])
    expect(sweepTitle('z', points)).toBe('z decides: "high", "low" as it grows')
    expect(sweepTitle('z', points.slice(0, 2))).toBe('Whatever z is, "high" is preferred')
  })
})
