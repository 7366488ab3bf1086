// A trained model says the same to the last bit in the library, in the service and in a browser.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLearner, type ModelFile, type Problem, trained } from '@primo/core'
import { memoryTable, trainModel } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBrowser, openBrowser } from '../scripts/open-browser.mjs'
import { type StartedPrimo, startPrimo } from './started-primo.fixture.js'

const found = await findBrowser()
const required = (process.env.PRIMO_REQUIRE_BROWSER ?? '') !== ''
const LONG = 180_000
const root = join(import.meta.dirname, '../../..')

const random = Random.fromSeed(9)
const rows = 240
const age = Float64Array.from({ length: rows }, () => 20 + Math.floor(60 * random.uniform()))
const town = Array.from({ length: rows }, () => ['bonn', 'ulm', 'trier'][random.integer(3)]!)
const level = age.map((value, i) => 0.05 * value + (town[i] === 'ulm' ? 1 : 0) + 0.3 * random.normal())
const group = Array.from(level, (value) => (value > 3.5 ? 'high' : value > 2 ? 'middle' : 'low'))
const table = memoryTable('drawn', { age, town, level, group })

const train = (covariate: string, kind: 'linear' | 'spline' | 'trees' | 'kernel' | 'network') =>
  trainModel(table, { covariate, features: ['age', 'town'], folds: 2, classes: [kind] })
const models = {
  'level-linear': train('level', 'linear'),
  'level-spline': train('level', 'spline'),
  'level-trees': train('level', 'trees'),
  'level-kernel': train('level', 'kernel'),
  'level-network': train('level', 'network'),
  'group-trees': train('group', 'trees'),
  'group-linear': train('group', 'linear'),
}
const contexts = Array.from({ length: 25 }, (_, i) => ({
  age: 20 + 2.37 * i,
  town: ['bonn', 'ulm', 'trier', 'kiel'][i % 4]!,
}))

function problemOf(covariate: string, imputer: unknown): Problem {
  const feature =
    covariate === 'level'
      ? { type: 'number', min: -5, max: 15 }
      : { type: 'category', levels: ['high', 'low', 'middle'] }
  return {
    context: {
      age: { type: 'number', min: 0, max: 120 },
      town: { type: 'category', levels: ['bonn', 'ulm', 'trier', 'kiel'] },
    },
    covariates: { [covariate]: { ...feature, imputer } },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  } as Problem
}

/** Value and spread of every context, as replies say them. */
function inLibrary(covariate: string, problem: Problem) {
  const learner = createLearner(problem, { seed: 1 })
  return contexts.map((context) => {
    const { value, modelSd } = learner.decide({ context, covariates: { [covariate]: null } }).covariates[covariate]!
    return { value, modelSd: modelSd ?? null }
  })
}

/** Replies write numbers below 1 to 15 decimals; the service's own test looks at its records, which have every bit. */
function shown(value: unknown): unknown {
  if (typeof value === 'number') {
    if (!(Math.abs(value) >= 1e-4 && Math.abs(value) < 1 - 1e-15)) return value
    const scaled = Math.abs(value) * 1e7
    const high = Math.trunc(scaled)
    return (Math.sign(value) * (high * 1e8 + Math.trunc((scaled - high) * 1e8 + 0.5))) / 1e15
  }
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shown(inner)]))
}

/** The built packages as a browser loads them, without a bundler. */
function pageServer(): Server {
  const at = (name: string) => `/packages/${name}/dist/index.js`
  const imports = { '@primo/core': at('core'), '@primo/numeric': at('numeric'), '@primo/theory': at('theory') }
  return createServer((request, response) => {
    if (request.url === '/') {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(`<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
        <script type="module">import * as core from "@primo/core"; window.primo = core</script>`)
      return
    }
    response.writeHead(200, { 'content-type': 'text/javascript' })
    response.end(
      /^\/packages\/\w+\/dist\/[\w/.-]+\.js$/.test(request.url ?? '') ? readFileSync(join(root, request.url!)) : '',
    )
  })
}

describe.skipIf(found === null && !required)('a trained model', { timeout: LONG }, () => {
  let primo: StartedPrimo
  let browser: Browser
  let page: Page
  const server = pageServer()
  const folder = mkdtempSync(join(tmpdir(), 'primo-trained-'))

  beforeAll(async () => {
    for (const [name, model] of Object.entries(models)) {
      const file: ModelFile = { format: 'primo-model', formatVersion: 1, models: [model] }
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(file))
    }
    browser = await openBrowser()
    primo = await startPrimo((data) => ['serve', '--store', `sqlite:${data}/t.db`, '--models', folder])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.waitForFunction('window.primo !== undefined')
  }, LONG)

  afterAll(async () => {
    await browser?.close()
    server.close()
    await primo?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, LONG)

  const call = async <T>(method: string, path: string, body: unknown): Promise<T> => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${primo.url}/v1/problems/${path}`, { method, headers, body: JSON.stringify(body) })
    expect(reply.status, await reply.clone().text()).toBeLessThan(300)
    return (await reply.json()) as T
  }

  it.each(Object.keys(models) as (keyof typeof models)[])('%s predicts the same everywhere', async (name) => {
    const { covariate } = models[name]
    const text = readFileSync(join(folder, `${name}.json`), 'utf8')
    const own = inLibrary(covariate, problemOf(covariate, trained(JSON.parse(text) as ModelFile)))
    expect(new Set(own.map(({ value }) => JSON.stringify(value))).size).toBeGreaterThan(3)

    await call('PUT', name, problemOf(covariate, { kind: 'trained', file: `${name}.json` }))
    const served: unknown[] = []
    for (const context of contexts) {
      type Use = { readonly value: unknown; readonly modelSd?: number; readonly source: string }
      const body = { context, covariates: { [covariate]: null } }
      const { covariates } = await call<{ covariates: Record<string, Use> }>('POST', `${name}/decisions`, body)
      const { value, modelSd, source } = covariates[covariate]!
      expect(source).toBe('pretrained')
      served.push({ value, modelSd: modelSd ?? null })
    }
    expect(served).toEqual(shown(own))

    const inBrowser = await page.evaluate(
      ([file, problem, list, z]) => {
        const core = (globalThis as unknown as { primo: typeof import('@primo/core') }).primo
        const imputer = core.trained(JSON.parse(file!) as ModelFile)
        const given = JSON.parse(problem!) as Problem
        const covariates = { [z!]: { ...given.covariates[z!]!, imputer } }
        const learner = core.createLearner({ ...given, covariates } as Problem, { seed: 1 })
        return (JSON.parse(list!) as Record<string, string | number>[]).map((context) => {
          const { value, modelSd } = learner.decide({ context, covariates: { [z!]: null } }).covariates[z!]!
          return { value, modelSd: modelSd ?? null }
        })
      },
      [text, JSON.stringify(problemOf(covariate, null)), JSON.stringify(contexts), covariate] as const,
    )
    expect(inBrowser).toEqual(own)
  })
})
