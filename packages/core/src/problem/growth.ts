// What a problem may become without losing what was learnt: ranges widen, levels are added, features of the context are added with a
// default. Then every row so far is a row of the new columns (columns.ts).

import { show } from '@primo/numeric'
import type { Columns } from './columns.js'
import type { Feature } from './feature.js'

/** What a change of features keeps, and what stands against it, in sentences that begin with the field. */
export interface Growth {
  readonly grown: readonly string[]
  /** Empty: everything that was learnt is kept. */
  readonly obstacles: readonly string[]
}

/** How the features of `after` differ from those of `before`. */
export function growthOf(before: Columns, after: Columns): Growth {
  const grown: string[] = []
  const obstacles: string[] = []
  for (const part of ['context', 'covariates'] as const) {
    for (const [name, old] of Object.entries(before[part])) {
      const field = `${part}.${name}`
      const now = Object.hasOwn(after[part], name) ? after[part][name]! : null
      if (now === null) obstacles.push(`${field} may not be removed: what was learnt depends on it`)
      else compare(field, old, now, grown, obstacles)
    }
    for (const [name, feature] of Object.entries(after[part])) {
      if (Object.hasOwn(before[part], name)) continue
      const field = `${part}.${name}`
      if (part === 'covariates')
        obstacles.push(`${field} may not be added: earlier rounds have neither its value nor a prediction of it`)
      else if (feature.default === undefined)
        obstacles.push(`${field} must have a default to be added: earlier rounds have no value of it`)
      else grown.push(`${field} is added; earlier rounds have its default, ${show(feature.default)}`)
    }
  }
  if (obstacles.length === 0 && Object.keys(before.covariates).join() !== Object.keys(after.covariates).join())
    obstacles.push('covariates must stay in their order')
  return { grown, obstacles }
}

function compare(field: string, old: Feature, now: Feature, grown: string[], obstacles: string[]): void {
  if (old.type === 'number' && now.type === 'number') {
    if (old.min === now.min && old.max === now.max) return
    const change = `from ${old.min} to ${old.max} into ${now.min} to ${now.max}`
    if (now.min <= old.min && now.max >= old.max) grown.push(`${field} widens its range ${change}`)
    else obstacles.push(`${field} may widen its range, not shrink it (${change}): rounds outside were learnt from`)
  } else if (old.type === 'category' && now.type === 'category') {
    const lost = old.levels.filter((level) => !now.levels.includes(level))
    const added = now.levels.filter((level) => !old.levels.includes(level))
    if (lost.length > 0) obstacles.push(`${field} may gain levels, not lose them: ${lost.map(show).join(', ')}`)
    if (old.other === true && now.other !== true) obstacles.push(`${field}.other may not be taken back`)
    if (added.length > 0)
      grown.push(
        `${field} gains ${added.map(show).join(', ')}${old.other === true ? '; earlier rounds keep what was "other"' : ''}`,
      )
    if (old.other !== true && now.other === true) grown.push(`${field} takes other levels as "other"`)
  } else if (old.type !== now.type) obstacles.push(`${field}.type may not change: "${old.type}" was learnt from`)
}
