// Clients that generators make from the OpenAPI document: they compile under strict rules, and they decide and reward.

import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { running, temporaryFolder } from '../running.fixture.js'
import { keys, secrets } from './keys.fixture.js'

const PROGRAM = `
import { createClient } from './sdk/client/index.js'
import * as primo from './sdk/index.js'
import type { components, operations } from './types.js'

type Reply = operations['decide']['responses'][200]['content']['application/json']
type Refusal = operations['decide']['responses'][422]['content']['application/problem+json']

export async function story(baseUrl: string, admin: string, reader: string) {
  const client = createClient({ baseUrl, auth: admin })
  const path = { problem: 'dose' }
  const definition: components['schemas']['ProblemDefinition'] = {
    context: { age: { type: 'number', min: 18, max: 95 } },
    covariates: { carrier: { type: 'boolean', imputer: { kind: 'constant', value: 0.3 } } },
    actions: ['low', 'high'],
    reward: { min: 0, max: 1 },
  }
  const { data: defined } = await primo.defineProblem({ client, path, body: definition })
  const { data: decided } = await primo.decide({ client, path, body: { eventId: 'visit', context: { age: 63 } } })
  if (decided === undefined) throw new Error('nothing was decided')
  const reply: Reply = decided
  const { data: rewarded } = await primo.reportReward({ client, path: { ...path, id: 'visit' }, body: { value: 1 } })
  const { data: summary } = await primo.getSummary({ client, path })
  const { error } = await primo.decide({ client, path, body: { context: { age: 163 } } })
  const refusal: Refusal | undefined = error
  const forbidden = await primo.decide({ client, auth: reader, path, body: { context: { age: 63 } } })
  // @ts-expect-error a definition needs actions
  const wrong: components['schemas']['ProblemDefinition'] = { context: {}, covariates: {}, reward: { min: 0, max: 1 } }
  // @ts-expect-error a decision needs a context
  const without: primo.DecisionBody = { eventId: 'x' }
  return {
    change: defined?.change, action: reply.action, status: rewarded?.status, closed: summary?.closed,
    refusal: refusal?.code, forbidden: forbidden.error?.code, unused: [wrong, without].length,
  }
}
`

test('generated types and a generated client compile, decide and reward', async () => {
  const service = await running({ keys })
  const folder = temporaryFolder()
  const document = (await service.call<object>('GET', '/openapi.json')).text
  mkdirSync(join(folder, 'sdk'))
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}')
  writeFileSync(join(folder, 'openapi.json'), document)
  writeFileSync(join(folder, 'types.ts'), astToString(await openapiTS(document)))
  await createClient({
    input: join(folder, 'openapi.json'),
    output: { path: join(folder, 'sdk') },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
  })
  writeFileSync(join(folder, 'program.ts'), PROGRAM)
  const program = ts.createProgram([join(folder, 'program.ts')], {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    skipLibCheck: true,
    outDir: join(folder, 'built'),
  })
  const said = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  expect(said).toEqual([])
  program.emit()
  const { story } = createRequire(import.meta.url)(join(folder, 'built/program.js'))
  const { port } = service.service().config
  expect(await story(`http://127.0.0.1:${port}`, secrets.admin.secret, secrets.read.secret)).toEqual({
    change: 'created',
    action: expect.stringMatching(/^(low|high)$/),
    status: 'accepted',
    closed: 1,
    refusal: 'out-of-range',
    forbidden: 'forbidden',
    unused: 2,
  })
})
