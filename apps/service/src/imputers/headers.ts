// The headers of a model call, with {env:NAME} replaced. Only variables with a prefix of their own are read: definitions
// come over the network, and the environment also holds keys of the service.

import { validateHeaderName, validateHeaderValue } from 'node:http'
import { refuseImputer as refuse } from './imputer-definition.js'

export type Environment = Readonly<Record<string, string | undefined>>

const PREFIX = 'PRIMO_IMPUTER_'
const VARIABLE = /\{env:([^{}]+)\}/g
/** They frame the request or name its target. */
const RESERVED = 'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' ')

/** Throws with `field` if the variable is not set or has another prefix: the message is the same for both. */
export function readVariable(field: string, name: string, environment: Environment): string {
  const value = typeof name === 'string' && name.startsWith(PREFIX) ? environment[name] : undefined
  if (value !== undefined) return value
  const rule = `an environment variable of the service that begins with ${PREFIX}`
  refuse(field, `${rule} (set it under such a name and restart the service)`, name)
}

/** Throws with the field of the first header that must not be sent. */
export function readHeaders(field: string, headers: unknown = {}, environment: Environment): Record<string, string> {
  if (typeof headers !== 'object' || headers === null) refuse(field, 'an object', headers)
  const filled = Object.entries(headers).map(([name, text]) => {
    const at = `${field}.${name}`
    if (typeof text !== 'string' || text === '') refuse(at, 'non-empty text', text)
    if (RESERVED.includes(name.toLowerCase()))
      refuse(field, `without ${RESERVED.join(', ')} (the service sets them; remove the header)`, name)
    const value = text.replaceAll(VARIABLE, (_, variable: string) => readVariable(at, variable, environment))
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      refuse(at, 'a header of HTTP (a name without spaces, a value without line breaks)', text)
    }
    return [name, value] as const
  })
  return Object.fromEntries(filled)
}

export function environmentNames(text: string): readonly string[] {
  return [...text.matchAll(VARIABLE)].map((match) => match[1]!)
}
