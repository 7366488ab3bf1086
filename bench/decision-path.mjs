// Files and functions of ours that one decision crosses on the main thread: what V8 counted as called between the request
// and its answer, by a service that has decided before.

import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startService } from '@primo/service'

const root = fileURLToPath(new URL('..', import.meta.url))
const features = Array.from({ length: 5 }, (_, k) => `x${k}`)
const definition = {
  context: Object.fromEntries(features.map((name) => [name, { type: 'number', min: -1, max: 1 }])),
  covariates: {
    z: { type: 'number', min: -1, max: 1, imputer: { kind: 'linear', intercept: 0, coefficients: { x0: 0.5 } } },
  },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
  learning: { seed: 1 },
}
const request = (z) => ({ context: Object.fromEntries(features.map((name, k) => [name, k / 10])), covariates: { z } })

/** What was called of each of our files while `run` ran. */
async function called(session, run) {
  await session.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = new Map()
  for (const { url, functions } of result) {
    if (!url.startsWith('file:') || url.includes('/node_modules/')) continue
    const path = fileURLToPath(url).slice(root.length)
    if (!/^(apps|packages)\/[^/]+\/dist\//.test(path)) continue
    const names = functions
      .filter(({ ranges }) => ranges[0].count > 0)
      .map(({ functionName }) => functionName || '(arrow)')
    if (names.length > 0) files.set(path.replace('/dist/', '/'), names)
  }
  return files
}

function report(title, files) {
  const line = (name, ours) => {
    const functions = ours.reduce((sum, [, names]) => sum + names.length, 0)
    console.log(
      `  ${name.padEnd(28)} ${String(ours.length).padStart(3)} files ${String(functions).padStart(4)} functions`,
    )
  }
  const all = [...files].sort(([a], [b]) => (a < b ? -1 : 1))
  const inService = ([path]) => path.startsWith('apps/service/') || path.startsWith('packages/contract/')
  console.log(`${title}:`)
  line('service and contract', all.filter(inService))
  line(
    'the algorithm',
    all.filter((file) => !inService(file)),
  )
  line('together', all)
  if (process.argv.includes('--names')) for (const [path, names] of all) console.log(`    ${path}: ${names.join(', ')}`)
}

export async function benchPath() {
  const folder = mkdtempSync(join(tmpdir(), 'primo-path-'))
  const service = await startService({
    store: `sqlite:${join(folder, 'path.db')}`,
    port: 0,
    logLevel: 'silent',
    tickEvery: 0,
  })
  const call = async (path, body, method = 'POST') => {
    const response = await fetch(`${service.url}/v1/problems/path${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  await call('', definition, 'PUT')
  const batch = async (count) => {
    const decisions = Array.from({ length: count }, (_, k) => request(k % 3 === 0 ? null : 0.5))
    const { results } = await call('/decisions/batch', { decisions })
    await call('/rewards/batch', { rewards: results.map(({ decisionId }, k) => ({ id: decisionId, value: k % 2 })) })
  }
  const learnt = async () => {
    await call('/decisions', request(0.5))
    while (service.host.learner.waiting() > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  while ((await service.host.problem('path')).row.book.policy === 0) {
    await batch(100)
    await learnt()
  }
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  for (let k = 0; k < 20; k++) await call('/decisions', request(null))
  report('one decision', await called(session, () => call('/decisions', request(null))))
  const { book } = (await service.host.fresh('path')).row
  const counted = book.counted === 'closed' ? book.closed : book.rounds
  await batch(Math.max(0, book.quota - counted))
  report('one decision that ends an epoch, and the policy that follows', await called(session, learnt))
  session.disconnect()
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}
