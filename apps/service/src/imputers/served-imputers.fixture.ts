// The service with a folder of models, and a model server beside it.

import type { DecisionReply, ProblemDefinition } from '@primo/contract'
import { afterAll, beforeEach } from 'vitest'
import { running } from '../running.fixture.js'
import { modelFolder } from './model-files.fixture.js'
import { startModelServer } from './model-server.fixture.js'

/** The columns of the context of patients. */
export const COLUMNS = ['age', 'smoker', 'town=north', 'town=south', 'town=east']

export type Imputer = ProblemDefinition['covariates'][string]['imputer']
export type Feature = ProblemDefinition['context'][string]

const alleles = { type: 'number', min: 0, max: 2 } as const
/** Patients: one number, one boolean and one category as context, and a covariate that the imputer predicts. */
export function patients(imputer: Imputer, covariate: Feature = alleles): ProblemDefinition {
  return {
    context: {
      age: { type: 'number', min: 18, max: 95 },
      smoker: { type: 'boolean' },
      town: { type: 'category', levels: ['north', 'south', 'east'] },
    },
    covariates: { z: { ...covariate, imputer } as ProblemDefinition['covariates'][string] },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  }
}

export function problem(imputer: Imputer, covariate?: Feature): ProblemDefinition {
  return { ...patients(imputer, covariate), learning: { profile: 'robust', seed: 1 } }
}

/** Longer than any busy machine makes a model wait that answers. */
export const PATIENT = { budget: 60_000, timeout: 60_000 }

/** Closed after the tests of the file; the model server is well again before each. */
export async function servedImputers() {
  const files = modelFolder()
  process.env.PRIMO_IMPUTER_TEST_KEY = 'a-secret'
  const server = await startModelServer()
  const service = await running({ models: files, imputerHosts: [new URL(server.url).host] })
  afterAll(() => server.close())
  beforeEach(() => {
    server.behave({ kind: 'well' })
    server.calls.length = 0
  })

  let names = 0
  async function define(imputer: Imputer, covariate?: Feature): Promise<string> {
    const name = `p${++names}`
    await service.ok('PUT', `/v1/problems/${name}?check=none`, problem(imputer, covariate))
    return name
  }
  async function decide(name: string, age: number, z: unknown = null) {
    const body = { context: { age, smoker: false, town: 'east' }, covariates: { z } }
    return (await service.ok<DecisionReply>('POST', `/v1/problems/${name}/decisions`, body)).covariates.z!
  }
  const http = (more: object = {}): Imputer => ({
    kind: 'http',
    url: `${server.url}/predict`,
    limits: { ...PATIENT, breaker: { failures: 1000 } },
    ...more,
  })
  const llm = (more: object = {}): Imputer => ({
    kind: 'llm',
    url: `${server.url}/v1`,
    model: 'small',
    prompt: 'The patient has age {age}.',
    limits: { ...PATIENT, breaker: { failures: 1000 } },
    ...more,
  })

  return { files, service, server, define, decide, http, llm }
}
