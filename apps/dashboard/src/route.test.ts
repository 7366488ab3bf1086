import { describe, expect, it } from 'vitest'
import { addressOf, hashOf } from './address.js'
import { problemHref, routeOf } from './route.js'

const problem = (name: string, place: string, id: string | null = null) => ({
  view: 'problem',
  problem: name,
  place,
  id,
})

describe('addresses', () => {
  it('lead to views', () => {
    expect(routeOf('/')).toEqual({ view: 'overview' })
    expect(routeOf('/new')).toEqual({ view: 'new' })
    expect(routeOf('/problems/dosing')).toEqual(problem('dosing', 'overview'))
    expect(routeOf('/problems/dosing/operate')).toEqual(problem('dosing', 'operate'))
    expect(routeOf('/problems/dosing/decisions')).toEqual(problem('dosing', 'decisions'))
    expect(routeOf('/problems/dosing/decisions/a%2Fb')).toEqual(problem('dosing', 'decisions', 'a/b'))
    expect(routeOf('/problems/p/other')).toEqual({ view: 'unknown' })
    expect(routeOf('/problems/p/data/x')).toEqual({ view: 'unknown' })
    expect(routeOf('/%E0%A4%A')).toEqual({ view: 'unknown' })
  })

  it('of problems lead back to them', () => {
    for (const [place, id] of [['overview'], ['try'], ['decisions', 'a/b?c']] as const)
      expect(routeOf(addressOf(problemHref('p', place, id)).path)).toEqual(problem('p', place, id ?? null))
  })

  it('carry the state of a view, without what is empty', () => {
    const address = { path: '/problems/p/decisions', query: { range: 'day', action: 'a & b' } }
    expect(addressOf(hashOf(address))).toEqual(address)
    expect(hashOf({ path: '/', query: { range: '' } })).toBe('#/')
  })
})
