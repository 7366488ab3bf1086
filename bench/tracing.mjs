// What tracing costs: decisions per second and processor time of each, with tracing off and on (every decision kept and sent to a
// collector in another process), in turns in one run. BENCH_BASE names the folder of another built checkout, which takes turns too.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from './load.mjs'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 1)
const RUNS = Number(process.env.BENCH_RUNS ?? 5)
/** Of each run. Short ones beside each other see the same machine. */
const TURNS = Number(process.env.BENCH_TURNS ?? 8)
const WARM_UP = 6
const CONNECTIONS = 64
const here = fileURLToPath(new URL('..', import.meta.url))
const headers = { 'content-type': 'application/json' }

const features = Array.from({ length: 20 }, (_, k) => `x${k}`)
const definition = {
  context: Object.fromEntries(features.map((name) => [name, { type: 'number', min: -1, max: 1 }])),
  covariates: {
    z: { type: 'number', min: -1, max: 1, imputer: { kind: 'linear', intercept: 0, coefficients: { x0: 0.5 } } },
  },
  actions: Array.from({ length: 10 }, (_, k) => `action ${k}`),
  reward: { min: 0, max: 1 },
  learning: { seed: 1 },
}
const bodies = Array.from({ length: 500 }, (_, k) => {
  const context = Object.fromEntries(features.map((name, i) => [name, Math.round(1e4 * Math.sin(k + 7 * i)) / 1e4]))
  return { body: JSON.stringify({ context, covariates: { z: k % 5 < 3 ? 0.5 : null } }) }
})

/** Takes everything and looks at nothing: the work of a collector is not ours. */
const COLLECTOR = `
import { createServer } from 'node:http'
const server = createServer((request, response) => { request.resume().on('end', () => response.end('{}')) })
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port })))`

async function start(args, env = {}) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(data.toString()))
    child.once('exit', (code) => reject(new Error(`exited with ${code}`)))
  })
  return { child, url: JSON.parse(line).url }
}

async function stop({ child }) {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}

/** Seconds of processor time of a process and its threads so far (Linux). */
function processorTime({ child }) {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** The geometric mean of ratios, its standard error, and that of each run. */
function ratio(pairs) {
  const logs = pairs.map(([value, base]) => Math.log(value / base))
  const centre = mean(logs)
  const error = Math.sqrt(mean(logs.map((log) => (log - centre) ** 2)) / (logs.length - 1))
  const runs = Array.from({ length: RUNS }, (_, k) => Math.exp(mean(logs.slice(k * TURNS, (k + 1) * TURNS))).toFixed(2))
  return `${Math.exp(centre).toFixed(3)} +- ${(Math.exp(centre) * error).toFixed(3)} (runs ${runs.join(', ')})`
}

export async function benchTracing() {
  const folder = mkdtempSync(join(tmpdir(), 'primo-bench-'))
  const collector = await start(['--input-type=module', '-e', COLLECTOR])
  const serve = (name, root, ...more) =>
    start([
      ...[join(root, 'apps/cli/bin/primo.js'), 'serve', '--store', `sqlite:${join(folder, name)}.db`, '--port', '0'],
      ...['--json', '--log-level', 'silent', ...more],
    ])
  const { BENCH_BASE: base } = process.env
  const services = {
    ...(base === undefined ? {} : { base: await serve('base', base) }),
    off: await serve('off', here),
    on: await serve('on', here, '--otlp', collector.url),
  }
  const names = Object.keys(services)
  const path = '/v1/problems/bench/decisions'
  const measure = async (name, seconds) => {
    const service = services[name]
    const before = processorTime(service)
    const { perSecond, answered } = await load({
      url: service.url,
      path,
      bodies,
      headers,
      connections: CONNECTIONS,
      seconds,
    })
    return { perSecond, microseconds: (1e6 * (processorTime(service) - before)) / answered }
  }
  for (const name of names) {
    const url = `${services[name].url}/v1/problems/bench`
    const reply = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(definition) })
    if (!reply.ok) throw new Error(await reply.text())
    await measure(name, WARM_UP)
  }
  const turns = Object.fromEntries(names.map((name) => [name, []]))
  for (let turn = 0; turn < RUNS * TURNS; turn++)
    for (const k of names.keys()) {
      const name = names[(turn + k) % names.length]
      turns[name].push(await measure(name, SECONDS))
    }
  console.log(
    `tracing: ${CONNECTIONS} connections on loopback, ${RUNS} runs of ${TURNS} turns of ${SECONDS} s, on ${cpus()[0].model} (${cpus().length} cores, load ${loadavg()[0].toFixed(0)})`,
  )
  const [first] = names
  for (const name of names) {
    const values = (field) => median(turns[name].map((turn) => turn[field])).toFixed(0)
    console.log(
      `  ${name.padEnd(5)} ${values('perSecond')} decisions/s, ${values('microseconds')} us of processor each (medians)`,
    )
    if (name === first) continue
    const beside = (field) => ratio(turns[name].map((turn, k) => [turn[field], turns[first][k][field]]))
    console.log(`        decisions/s ${beside('perSecond')} of ${first}`)
    console.log(`        processor   ${beside('microseconds')} of ${first}`)
  }
  const text = await (await fetch(`${services.on.url}/metrics`)).text()
  const spans = (result) => /\d+/.exec(new RegExp(`primo_spans_total\\{result="${result}"\\} (\\d+)`).exec(text)[1])[0]
  console.log(`  spans sent ${spans('exported')}, dropped ${spans('dropped')}`)
  for (const service of [...Object.values(services), collector]) await stop(service)
  rmSync(folder, { recursive: true, force: true })
}
