// A trained model says the same to the last bit in the library, in the service and in a browser.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLearner, type ModelFile, type Problem, trained } from '@primo/core'
import { memoryTable, TRAINING_CLASSES, trainModel } from '@primo/lab/node'
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
const rows = 160
const age = Float64Array.from({ length: rows }, () => 20 + Math.floor(60 * random.uniform()))
const town = Array.from({ length: rows }, () => ['bonn', 'ulm', 'trier'][random.integer(3)]!)
const level = age.map((value, i) => 0.05 * value + (town[i] === 'ulm' ? 1 : 0) + 0.3 * random.normal())
const group = Array.from(level, (value) => (value > 3.5 ? 'high' : value > 2 ? 'middle' : 'low'))
const ill = level.map((value) => (value + random.normal() > 3 ? 1 : 0))
const table = memoryTable('drawn', { age, town, level, ill, group })
const covariates = {
  level: { type: 'number', min: -5, max: 15 },
  ill: { type: 'boolean' },
  group: { type: 'category', levels: ['high', 'low', 'middle'] },
} as const
const names = Object.keys(covariates) as (keyof typeof covariates)[]
/** Of each class, and of one that is chosen among some. */
const classes = [...TRAINING_CLASSES, 'chosen'] as const
const train = (kind: (typeof classes)[number]): ModelFile => ({
  format: 'primo-model',
  formatVersion: 1,
  models: names.map((covariate) =>
    trainModel(table, {
      covariate,
      features: ['age', 'town'],
      declared: { ill: { type: 'boolean' } },
      folds: 2,
      classes: kind === 'chosen' ? ['linear', 'spline', 'trees'] : [kind],
    }),
  ),
})
const contexts = Array.from({ length: 25 }, (_, i) => ({
  age: 20 + 2.37 * i,
  town: ['bonn', 'ulm', 'trier', 'kiel'][i % 4]!,
}))
const missing = Object.fromEntries(names.map((name) => [name, null]))

function problemOf(imputer: (covariate: string) => unknown): Problem {
  return {
    context: {
      age: { type: 'number', min: 0, max: 120 },
      town: { type: 'category', levels: ['bonn', 'ulm', 'trier', 'kiel'] },
    },
    covariates: Object.fromEntries(names.map((name) => [name, { ...covariates[name], imputer: imputer(name) }])),
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  } as Problem
}

/** Value and spread of every context, as replies say them. */
function inLibrary(problem: Problem) {
  const learner = createLearner(problem, { seed: 1 })
  return contexts.map((context) => {
    const said = learner.decide({ context, covariates: missing }).covariates
    return names.map((name) => ({ value: said[name]!.value, modelSd: said[name]!.modelSd ?? null }))
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
    for (const kind of classes) writeFileSync(join(folder, `${kind}.json`), JSON.stringify(train(kind)))
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

  it.each(classes)('by %s predicts the same everywhere', async (kind) => {
    const text = readFileSync(join(folder, `${kind}.json`), 'utf8')
    const own = inLibrary(problemOf((name) => trained(JSON.parse(text) as ModelFile, name)))
    names.forEach((_, k) => {
      expect(new Set(own.map((said) => JSON.stringify(said[k]!.value))).size).toBeGreaterThan(3)
    })

    await call(
      'PUT',
      kind,
      problemOf(() => ({ kind: 'trained', file: `${kind}.json` })),
    )
    type Use = { readonly value: unknown; readonly modelSd?: number; readonly source: string }
    const decisions = contexts.map((context) => ({ context, covariates: missing }))
    const { results } = await call<{ results: { covariates: Record<string, Use> }[] }>(
      'POST',
      `${kind}/decisions/batch`,
      { decisions },
    )
    const served = results.map((reply) =>
      names.map((name) => {
        const { value, modelSd, source } = reply.covariates[name]!
        expect(source).toBe('pretrained')
        return { value, modelSd: modelSd ?? null }
      }),
    )
    expect(served).toEqual(shown(own))

    const inBrowser = await page.evaluate(
      ([file, problem, list]) => {
        const core = (globalThis as unknown as { primo: typeof import('@primo/core') }).primo
        const given = JSON.parse(problem!) as Problem
        const all = Object.keys(given.covariates)
        const imputed = all.map((name) => [
          name,
          { ...given.covariates[name]!, imputer: core.trained(JSON.parse(file!) as ModelFile, name) },
        ])
        const learner = core.createLearner({ ...given, covariates: Object.fromEntries(imputed) } as Problem, {
          seed: 1,
        })
        const none = Object.fromEntries(all.map((name) => [name, null]))
        return (JSON.parse(list!) as Record<string, string | number>[]).map((context) => {
          const said = learner.decide({ context, covariates: none }).covariates
          return all.map((name) => ({ value: said[name]!.value, modelSd: said[name]!.modelSd ?? null }))
        })
      },
      [text, JSON.stringify(problemOf(() => null)), JSON.stringify(contexts)] as const,
    )
    expect(inBrowser).toEqual(own)
  })
})
