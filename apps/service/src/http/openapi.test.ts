import { describe, expect, test } from 'vitest'
import { running } from '../running.fixture.js'
import { ROUTES } from './routes.fixture.js'

interface Document {
  readonly openapi: string
  readonly info: object
  readonly paths: Record<string, Record<string, Operation>>
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
  readonly responses: Record<string, { readonly description: string }>
}

describe('the OpenAPI document', async () => {
  const { call, ok } = await running()
  const document = await ok<Document>('GET', '/openapi.json')

  test('has every route of the table, and no other', () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => `${method.toUpperCase()} ${path === '/v1/problems/' ? '/v1/problems' : path}`,
      ),
    )
    expect(documented.sort()).toEqual(ROUTES.map(([method, path]) => `${method} ${path}`).sort())
  })

  test('is OpenAPI 3.1: every path parameter declared, every body a schema, every reference found', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    for (const [path, methods] of Object.entries(document.paths)) {
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
      for (const [method, { parameters = [], requestBody, responses }] of Object.entries(methods)) {
        const where = `${method} ${path}`
        const inPath = parameters.filter((parameter) => parameter.in === 'path')
        expect(inPath.map(({ name }) => name).sort(), where).toEqual(named.sort())
        for (const parameter of inPath)
          expect(parameter, where).toMatchObject({ required: true, schema: expect.any(Object) })
        if (['post', 'put'].includes(method))
          expect(requestBody?.content['application/json']?.schema, where).toMatchObject({ type: 'object' })
        expect(Object.keys(responses).length, where).toBeGreaterThan(0)
        for (const [status, response] of Object.entries(responses)) {
          expect(status, where).toMatch(/^([1-5]\d\d|default)$/)
          expect(response.description, where).toEqual(expect.any(String))
        }
      }
    }
    for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = reference!.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document)
      expect(found, reference).toBeDefined()
    }
    // What JSON Schema of OpenAPI 3.0 had and 3.1 has not.
    expect(JSON.stringify(document)).not.toMatch(/"nullable":/)
  })

  test('has a reference page', async () => {
    expect((await call('GET', '/docs/')).text).toContain('<html')
  })
})
