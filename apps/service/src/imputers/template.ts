// Request templates: JSON in which texts may name context values. A text that is only "{name}" becomes the value itself, "{context}"
// all of them; inside a longer text the value is written out.

import type { Context, Feature } from '@primo/core'
import { refuseImputer as refuse } from './imputer-definition.js'

const HOLE = /\{([^{}]+)\}/g

export function fillTemplate(template: unknown, context: Context): unknown {
  if (typeof template === 'string') {
    const only = /^\{([^{}]+)\}$/.exec(template)?.[1]
    if (only === 'context') return context
    if (only !== undefined) return context[only]
    return fillText(template, context)
  }
  if (Array.isArray(template)) return template.map((part) => fillTemplate(part, context))
  if (typeof template !== 'object' || template === null) return template
  return Object.fromEntries(Object.entries(template).map(([key, part]) => [key, fillTemplate(part, context)]))
}

export function fillText(template: string, context: Context): string {
  return template.replaceAll(HOLE, (_, name: string) =>
    name === 'context' ? JSON.stringify(context) : String(context[name]),
  )
}

export function checkTemplate(field: string, template: unknown, context: Readonly<Record<string, Feature>>): void {
  if (typeof template === 'string') {
    for (const [, name] of template.matchAll(HOLE)) {
      if (name !== 'context' && !Object.hasOwn(context, name!))
        refuse(field, `a template over ${[...Object.keys(context), 'context'].join(', ')}`, name)
    }
  } else if (typeof template === 'object' && template !== null) {
    for (const [key, part] of Object.entries(template)) checkTemplate(`${field}.${key}`, part, context)
  }
}

/** The value at a path such as "result.0.value"; undefined: there is none. */
export function atPath(value: unknown, path: string): unknown {
  let found = value
  for (const step of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Record<string, unknown>)[step]
  }
  return found
}
