import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { type Document, schemaChecks } from '../documented.fixture.js'
import { running } from '../running.fixture.js'
import { ROUTES } from './routes.fixture.js'

describe('the OpenAPI document', async () => {
  const { call, ok } = await running()
  const document = await ok<Document>('GET', '/openapi.json')
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, where: `${method} ${path}`, ...operation })),
  )
  const check = schemaChecks(document)

  test('has every route of the table, with the role that it needs, and no other', () => {
    const documented = operations.map(({ method, path, security }) => [method.toUpperCase(), path, security])
    const table = ROUTES.map(([method, path, role]) => [method, path, role === null ? [] : [{ key: [role] }]])
    expect(documented.sort()).toEqual(table.sort())
  })

  test('names every operation once', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  test('types every body, every reply and every error by a named schema', () => {
    for (const { where, requestBody, responses } of operations) {
      if (requestBody !== undefined)
        expect(requestBody.content['application/json']?.schema.$ref, where).toMatch(/^#\/components\/schemas\//)
      expect(Object.keys(responses), where).toEqual(expect.arrayContaining(['403', '500']))
      for (const [status, { description, content = {} }] of Object.entries(responses)) {
        expect(description, where).not.toBe('')
        expect(Object.keys(content).length, `${where} ${status}`).toBeGreaterThan(0)
        for (const [type, { schema }] of Object.entries(content)) {
          const at = `${where} ${status} ${type}`
          if (status >= '400') expect([PROBLEM, FLAG], at).toContainEqual([type, schema.$ref])
          else if (type === 'application/json') expect(schema.$ref, at).toMatch(/^#\/components\/schemas\//)
          else expect(schema, at).toMatchObject({ type: 'string' })
        }
      }
    }
  })

  test('has examples that fit their schemas', () => {
    const shown = Object.entries(document.components.schemas).flatMap(([name, { examples = [] }]) =>
      examples.map((example) => ({ name, example })),
    )
    expect(shown.map(({ name }) => name)).toEqual(expect.arrayContaining(['DecisionBody', 'ProblemDefinition']))
    const wrong = shown.filter(({ name, example }) => !check(`#/components/schemas/${name}`)(example))
    expect(wrong).toEqual([])
    const errors = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content = {} }) => content[PROBLEM[0]]?.example ?? []),
    )
    expect(errors.filter((example) => !check(PROBLEM[1])(example))).toEqual([])
  })

  test('has examples that work', async () => {
    const example = (name: string) => document.components.schemas[name]!.examples![0]
    await ok('PUT', '/v1/problems/dose', example('ProblemDefinition'))
    await ok('POST', '/v1/problems/dose/decisions', example('DecisionBody'))
    await ok('POST', '/v1/problems/dose/decisions/batch', example('DecisionBatch'))
    await ok('POST', '/v1/problems/dose/decisions/visit-1/reward', example('RewardReport'))
    await ok('POST', '/v1/problems/dose/decisions/visit-1/reveal', example('RevealReport'))
    expect(await ok('POST', '/v1/problems/dose/rewards/batch', example('RewardBatch'))).toMatchObject({
      results: [{ status: 'duplicate' }],
    })
  })

  test('is clean to a linter, which finds what is wrong', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const lint = async (source: unknown) =>
      (await lintFromString({ source: JSON.stringify(source), absoluteRef: 'openapi.json', config })).map(
        ({ ruleId, message }) => `${ruleId}: ${message}`,
      )
    expect(await lint(document)).toEqual([])
    const { '/livez': _, ...others } = document.paths
    const unnamed = { ...document, paths: { ...others, '/livez': { get: { responses: {} } } } }
    expect((await lint(unnamed)).join()).toContain('operation-operationId')
  })

  test('has a reference page', async () => {
    expect((await call('GET', '/docs/')).text).toContain('<html')
  })
})

const PROBLEM = ['application/problem+json', '#/components/schemas/ProblemDetails'] as const
/** The form of OFREP. */
const FLAG = ['application/json', '#/components/schemas/FlagFailure'] as const
