// Whether an answer is one that the OpenAPI document has: its status, its type and its body.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

export interface Operation {
  readonly operationId: string
  readonly security: readonly Record<string, readonly string[]>[]
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: { readonly $ref?: string } }> }
  readonly responses: Record<string, Reply>
}

interface Reply {
  readonly description: string
  readonly content?: Record<string, { readonly schema: { readonly $ref?: string }; readonly example?: unknown }>
}

export interface Document {
  readonly openapi: string
  readonly info: object
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly schemas: Record<string, { readonly examples?: readonly unknown[] }> }
}

interface Told {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly type: string
  readonly text: string
}

/** The check of a named schema; `errors` says what is wrong. */
export function schemaChecks(document: Document): (reference: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false })
  ajv.addSchema(document, 'document')
  return (reference) => ajv.getSchema(`document${reference}`)!
}

/** Says why an answer is not one that the document has; null: it is one, or no route took the call. */
export function undocumented(document: Document): (told: Told) => string | null {
  const checks = schemaChecks(document)
  const paths = Object.keys(document.paths)
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')) || a.split('{').length - b.split('{').length)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}/?$`) }))
  return ({ method, path, status, type, text }) => {
    const found = paths.find(({ pattern }) => pattern.test(path.split('?')[0]!))?.path
    const operation = found === undefined ? undefined : document.paths[found]![method.toLowerCase()]
    if (operation === undefined || text.includes('"code":"unknown-route"')) return null
    const media = operation.responses[status]?.content?.[type.split(';')[0]!]
    if (media === undefined) return `${method} ${found} has no answer ${status} ${type}: ${text.slice(0, 300)}`
    if (media.schema.$ref === undefined) return null
    const check = checks(media.schema.$ref)
    if (check(JSON.parse(text))) return null
    return `${method} ${found}, answer ${status}: ${JSON.stringify(check.errors)} in ${text.slice(0, 300)}`
  }
}
