// A service to measure, and what is asked of it: K = 10, 20 features, linear, one covariate missing now and then.

import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'

const secret = `bench_${randomBytes(16).toString('hex')}`
export const keyHash = createHash('sha256').update(secret).digest('hex')
export const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` }
export const here = (path) => fileURLToPath(new URL(path, import.meta.url))
/** Where decisions of the problem are asked for. */
export const decisionsPath = '/v1/problems/bench/decisions'

const features = Array.from({ length: 20 }, (_, k) => `x${k}`)
export const definition = {
  context: Object.fromEntries(features.map((name) => [name, { type: 'number', min: -1, max: 1 }])),
  covariates: {
    z: { type: 'number', min: -1, max: 1, imputer: { kind: 'linear', intercept: 0, coefficients: { x0: 0.5 } } },
  },
  actions: Array.from({ length: 10 }, (_, k) => `action ${k}`),
  reward: { min: 0, max: 1 },
  learning: { seed: 1 },
}

export function request() {
  const context = Object.fromEntries(features.map((name) => [name, Math.round((Math.random() * 2 - 1) * 1e4) / 1e4]))
  return { context, covariates: { z: Math.random() < 0.6 ? Math.round((Math.random() * 2 - 1) * 1e4) / 1e4 : null } }
}

export async function start(command, args, env = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(data.toString()))
    child.once('exit', (code) => reject(new Error(`exited with ${code}`)))
  })
  return { child, url: JSON.parse(line).url }
}

export async function stop(child) {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}

/** `store`: as --store takes it. */
export const serve = (store, ...more) =>
  start(process.execPath, [
    ...[here('../apps/cli/bin/primo.js'), 'serve', '--store', store, '--port', '0', '--json'],
    ...['--log-level', process.env.LL ?? 'silent', '--keys', `admin:${keyHash}`, '--rate-limit', '1000000000', ...more],
  ])

export async function call(url, path, body, method = 'POST') {
  const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.headers.get('content-type')?.includes('json') ? response.json() : response.text()
}

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Medians over turns; a ratio is that of the same turn. */
export function line(name, turns, base, of) {
  const [perSecond, p50, p99] = ['perSecond', 'p50', 'p99'].map((field) => median(turns.map((turn) => turn[field])))
  const ratios = base?.map((turn, k) => turns[k].perSecond / turn.perSecond)
  const [low, middle, high] = ratios === undefined ? [] : [Math.min(...ratios), median(ratios), Math.max(...ratios)]
  const ratio = base === undefined ? '' : `   ${middle.toFixed(2)}x ${of} (${low.toFixed(2)} to ${high.toFixed(2)})`
  console.log(
    `  ${name.padEnd(28)} ${perSecond.toFixed(0).padStart(6)}/s   p50 ${p50.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms${ratio}`,
  )
}

export function histogram(text, name) {
  const value = (suffix) => Number(new RegExp(`^primo_${name}_${suffix} (.*)$`, 'm').exec(text)?.[1] ?? 0)
  return value('sum') / Math.max(1, value('count'))
}

/** Decisions with rewards until a policy was learnt from them; returns the ids of others, whose rewards are still to come. */
export async function learn(url, waiting = 100_000) {
  const ids = []
  for (let version = 0; version === 0 || ids.length < waiting; ) {
    const { results } = await call(url, `${decisionsPath}/batch`, { decisions: Array.from({ length: 500 }, request) })
    const made = results.map(({ decisionId }) => decisionId)
    if (version > 0) ids.push(...made)
    else
      await call(url, '/v1/problems/bench/rewards/batch', { rewards: made.map((id) => ({ id, value: Math.random() })) })
    version ||= (await call(url, '/v1/problems/bench/summary', undefined, 'GET')).learning.policyVersion
  }
  return ids
}
