// What the schema found wrong with a request, as one sentence: the field, the rule, what was given, what to do.

import { show, unknownName } from '@primo/numeric'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'

/** With the data and the schema beside it (Ajv's option `verbose`). */
type SchemaError = FastifySchemaValidationError & {
  readonly data?: unknown
  readonly schema?: unknown
  readonly parentSchema?: {
    readonly properties?: object
    readonly description?: string
    readonly enum?: readonly unknown[]
  }
}

export function schemaSentence(errors: readonly FastifySchemaValidationError[], part: string): string {
  const error = deepest(errors as readonly SchemaError[])
  const path = error.instancePath.split('/').slice(1).map(decoded)
  const field = path.join('.') || `the ${part === 'querystring' ? 'query' : part}`
  const { data, params, schema, parentSchema } = error
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownName(field, String(params.additionalProperty), Object.keys(parentSchema?.properties ?? {}))
    case 'required':
      return missing(field, String(params.missingProperty), data, Object.keys(parentSchema?.properties ?? {}))
    case 'type':
      if (data === null && path.at(-2) === 'context')
        return `${field} must be given, got null; declare it as a covariate if it may be missing`
      return `${field} must be ${typesOf(error)}, got ${show(data)}`
    case 'const':
      return `${field} must be ${show(schema)}, got ${show(data)}`
    case 'enum':
      return `${field} must be one of ${(schema as unknown[]).map(show).join(', ')}, got ${show(data)}`
    case 'anyOf':
      return `${field} must be ${alternatives(schema as readonly Alternative[])}, got ${show(data)}`
    case 'pattern':
      return `${field} must be ${parentSchema?.description ?? `text like ${String(schema)}`}, got ${show(data)}`
    default:
      return `${field} ${error.message ?? 'is not valid'}, got ${show(data)}`
  }
}

interface Alternative {
  readonly const?: unknown
  readonly type?: string
}

function alternatives(schemas: readonly Alternative[]): string {
  const words = schemas.map((one) => ('const' in one ? show(one.const) : typeWords(one.type ?? 'another form')))
  return [...new Set(words)].join(' or ')
}

/** A field that is absent; where another one stands that is not known, that one is probably meant. */
function missing(field: string, name: string, data: unknown, known: readonly string[]): string {
  const at = field === 'the body' ? name : `${field}.${name}`
  const stray = Object.keys(Object(data)).find((given) => !known.includes(given))
  if (stray === undefined) return `${at} must be given, got nothing`
  const hint = name === 'context' ? `put "${stray.slice(0, 60)}" inside "context"` : `did you mean "${name}"?`
  return `${at} must be given, got nothing; there is no field "${stray.slice(0, 60)}": ${hint}`
}

/** The error that says most: of alternatives, that of the one which the value comes closest to. */
function deepest(errors: readonly SchemaError[]): SchemaError {
  const last = errors.at(-1)!
  if (last.keyword !== 'anyOf') return errors[0]!
  const further = errors.filter(({ instancePath }) => instancePath.length > last.instancePath.length)
  return further.length === 0 ? last : further.at(-1)!
}

function typesOf({ params, parentSchema }: SchemaError): string {
  const fields = Object.keys(parentSchema?.properties ?? {})
  if (params.type === 'object' && fields.length > 0) return `an object with ${fields.join(', ')}`
  return ([params.type].flat() as string[]).map(typeWords).join(' or ')
}

function decoded(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

const WORDS: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
}

function typeWords(type: string): string {
  return WORDS[type] ?? type
}
