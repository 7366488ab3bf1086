// What /metrics really answers, by the rules of its format; and that alerts and dashboard ask for nothing that it has not.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readExposition } from './exposition.fixture.js'
import { servedImputers } from './imputers/served-imputers.fixture.js'
import { problem, rounds } from './learning/trained-problems.fixture.js'

const deploy = join(import.meta.dirname, '../../../deploy')
const { service, server, define, decide, http } = await servedImputers()
/** What has happened to a service by then has left something in every family. */
const { families, faults, text } = await (async () => {
  await service.ok('PUT', '/v1/problems/p', problem())
  service.service().host.learner.failNext(1)
  await rounds(service, 'p', 25, 1)
  await rounds(service, 'p', 1, 2)
  await service.learnt('p')
  await service.ok('POST', '/v1/problems/p/freeze', {})
  const served = await define(http({ limits: { breaker: { failures: 1, pause: 60_000 } } }))
  await decide(served, 40)
  server.behave({ kind: 'status', status: 500 })
  await decide(served, 41)
  await service.call('GET', '/v1/problems/none')
  const { text } = await service.call('GET', '/metrics')
  return { ...readExposition(text), text }
})()

const sampleOf = (name: string, labels: Record<string, string> = {}) =>
  families
    .get(name)!
    .samples.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))?.value

it('keeps the rules of the format and of naming', () => {
  expect(faults).toEqual([])
  expect(families.size).toBeGreaterThan(20)
})

it('the reader finds what is wrong', () => {
  const wrong = [
    ['# HELP primo_a_total A.\n# TYPE primo_a_total gauge\nprimo_a_total 1\n', /ends with _total/],
    ['# TYPE primo_a gauge\nprimo_a 1\n', /no HELP/],
    ['# HELP primo_a A.\n# TYPE primo_a gauge\nprimo_a{x="1"} 1\nprimo_a{x="1"} 2\n', /a series twice/],
    ['# HELP primo_a A.\n# TYPE primo_a gauge\nprimo_b 1\n', /does not belong/],
    ['# HELP primo_a A.\n# TYPE primo_a gauge\nprimo_a{x=1} 1\n', /not a sample/],
    ['# HELP primo_a_ms A.\n# TYPE primo_a_ms gauge\nprimo_a_ms 1\n', /base unit/],
    [
      '# HELP primo_a A.\n# TYPE primo_a histogram\nprimo_a_bucket{le="1"} 2\nprimo_a_bucket{le="+Inf"} 1\nprimo_a_sum 1\nprimo_a_count 1\n',
      /out of order/,
    ],
  ] as const
  for (const [exposition, fault] of wrong) expect(readExposition(exposition).faults.join()).toMatch(fault)
  expect(readExposition(text.slice(0, -1)).faults).toEqual(['the last line does not end'])
})

it('says what runs, how the process is, and how problems and models stand', () => {
  expect(sampleOf('primo_build_info', { node: process.versions.node, store: 'sqlite' })).toBe(1)
  expect(sampleOf('process_resident_memory_bytes')).toBeGreaterThan(1e7)
  expect(sampleOf('process_start_time_seconds')! * 1000).toBeLessThan(Date.now())
  for (const name of ['process_cpu_seconds_total', 'process_open_fds', 'nodejs_eventloop_lag_p99_seconds'])
    expect(sampleOf(name)).toBeGreaterThan(0)
  expect(families.get('nodejs_gc_duration_seconds')!.type).toBe('histogram')
  expect(sampleOf('primo_problem_frozen', { problem: 'p' })).toBe(1)
  expect(sampleOf('primo_problem_policy_version', { problem: 'p' })).toBe(1)
  expect(sampleOf('primo_fit_failures_total', { problem: 'p' })).toBe(1)
  expect(sampleOf('primo_imputers_failing')).toBe(1)
  expect(sampleOf('primo_store_bytes')).toBeGreaterThan(1000)
  expect(sampleOf('primo_disk_free_bytes')).toBeLessThan(sampleOf('primo_disk_size_bytes')!)
})

interface Asked {
  readonly where: string
  readonly expr: string
}

const alerts = (
  parse(readFileSync(join(deploy, 'prometheus/alerts.yaml'), 'utf8')) as { groups: { rules: Rule[] }[] }
).groups.flatMap(({ rules }) => rules)
interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

/** Every expression of a dashboard, wherever it stands. */
function expressions(where: string, node: unknown): Asked[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'expr' || key === 'definition' ? [{ where, expr: value as string }] : expressions(where, value),
  )
}

const dashboards = readdirSync(join(deploy, 'grafana/dashboards')).flatMap((name) =>
  expressions(name, JSON.parse(readFileSync(join(deploy, 'grafana/dashboards', name), 'utf8'))),
)

it('alerts and dashboards ask only for metrics and labels that are there', () => {
  const asked = [...alerts.map(({ alert, expr }) => ({ where: alert, expr })), ...dashboards]
  expect(asked.length).toBeGreaterThan(30)
  const known = new Map<string, Set<string>>()
  // What the scraper adds.
  known.set('up', new Set())
  for (const { samples } of families.values())
    for (const { name, labels } of samples)
      known.set(name, new Set([...(known.get(name) ?? []), ...Object.keys(labels)]))
  const missing = asked.flatMap(({ where, expr }) =>
    [...expr.matchAll(/\b((?:primo|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)].flatMap(([, name, selector = '']) => {
      const labels = known.get(name!)
      if (labels === undefined) return [`${where}: ${name}`]
      const used = [...selector.matchAll(/(\w+)\s*[=!]~?/g)].map(([, label]) => label!)
      return used
        .filter((label) => !labels.has(label) && label !== 'job' && label !== 'instance')
        .map((label) => `${where}: ${name}{${label}}`)
    }),
  )
  expect(missing).toEqual([])
})

it('every alert has a name of its own, a severity and a summary; Prometheus loads the file', () => {
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  for (const { labels, annotations } of alerts) {
    expect(['page', 'ticket']).toContain(labels.severity)
    expect(annotations.summary).not.toBe('')
  }
  const { rule_files } = parse(readFileSync(join(deploy, 'prometheus/prometheus.yml'), 'utf8')) as {
    rule_files: string[]
  }
  expect(rule_files).toEqual(['alerts.yaml'])
})

it('the guide lists every metric of ours', () => {
  const guide = readFileSync(join(deploy, '../docs/telemetry.md'), 'utf8')
  expect([...families.keys()].filter((name) => name.startsWith('primo_') && !guide.includes(`\`${name}`))).toEqual([])
})
