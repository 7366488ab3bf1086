// Requests that nobody should send: valid bodies with something broken in them, arbitrary JSON, text that is none, headers
// and paths of all kinds. Each is a function of its number.

import type { DecisionBody, ProblemDefinition } from '@primo/contract'
import { dice } from '../dice.fixture.js'
import { smallProblem } from '../running.fixture.js'

export interface HostileRequest {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly payload: string | undefined
}

type Dice = ReturnType<typeof dice>

const WORDS = [
  '',
  ' ',
  'a',
  'z',
  'x',
  'NaN',
  '__proto__',
  'constructor',
  'toString',
  'n\u0000l',
  '😀',
  'é\n',
  'x'.repeat(300),
]
const NUMBERS = [0, -1, 1, 0.5, 1.5, -0, 1e308, -1e308, 5e-324, 2 ** 53, 1e21]
const RAW = ['1e999', '"\\ud800"', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}', '-', '01']
const MARK = '"@raw@"'

export const hostileProblems = (): Record<string, ProblemDefinition> => {
  // No epoch ends by itself: what changes a problem is the call alone.
  const learning = { profile: 'robust', schedule: { kind: 'list', ends: [1_000_000] } }
  const category = { type: 'category', levels: ['AA', 'AG'], imputer: { kind: 'column' }, audit: { share: 0.5 } }
  const context = { x: { type: 'number', min: 0, max: 1 }, smoker: { type: 'boolean' } }
  const rich = smallProblem({ learning, context, actions: ['a', 'b', 'c'] } as Partial<ProblemDefinition>)
  return {
    plain: smallProblem({ learning } as Partial<ProblemDefinition>),
    rich: {
      ...rich,
      covariates: { ...rich.covariates, g: category },
      reward: { min: -1, max: 3, window: { milliseconds: 1e9 }, aggregate: 'sum', default: 0 },
      guards: { holdout: 0.1, baseline: 'a', floor: 0.05 },
      activation: 'explicit',
    } as ProblemDefinition,
    shadow: smallProblem({ learning, mode: 'shadow' } as Partial<ProblemDefinition>),
    spare: smallProblem({ learning } as Partial<ProblemDefinition>),
  }
}

function decisionFor(problem: string, d: Dice): DecisionBody {
  return {
    ...(d.chance(0.5) ? { eventId: `e${d.below(50)}` } : {}),
    context: problem === 'rich' ? { x: d.next(), smoker: d.chance(0.5) } : { x: d.next() },
    ...(d.chance(0.5) ? { covariates: { z: d.chance(0.5) ? d.next() : null } } : {}),
    ...(d.chance(0.2) ? { missing: { z: d.one(WORDS).slice(0, 100) } } : {}),
    ...(problem === 'rich' && d.chance(0.5) ? { predictions: { g: d.one(['AA', { AA: 0.5, AG: 0.5 }]) } } : {}),
    ...(d.chance(0.2) ? { actions: ['a', 'b'] } : {}),
    ...(d.chance(0.1) ? { excluded: ['a'] } : {}),
    ...(d.chance(0.1) ? { deferActivation: true, subject: 's' } : {}),
    ...(problem === 'shadow' ? { served: { action: 'a', propensity: 0.5 } } : {}),
  }
}

function value(d: Dice): unknown {
  const kind = d.below(9)
  if (kind === 0) return null
  if (kind === 1) return d.chance(0.5)
  if (kind <= 3) return d.one(NUMBERS)
  if (kind <= 5) return d.one(WORDS)
  if (kind === 6) return d.one([[], {}, [[]], [null], { a: { b: [1] } }])
  if (kind === 7) return '@raw@'
  return Object.fromEntries([[d.one(WORDS), d.one(NUMBERS)]])
}

/** The value with one place in it changed, removed or added to. */
function broken(given: unknown, d: Dice): unknown {
  if (typeof given !== 'object' || given === null || d.chance(0.15)) return value(d)
  if (Array.isArray(given)) {
    const copy = [...given]
    if (copy.length === 0 || d.chance(0.2)) copy.push(value(d))
    else {
      const at = d.below(copy.length)
      if (d.chance(0.2)) copy.splice(at, 1)
      else if (d.next() < 0.2) copy.push(copy[at])
      else copy[at] = broken(copy[at], d)
    }
    return copy
  }
  const entries = Object.entries(given)
  const at = d.below(entries.length + 1)
  if (at === entries.length)
    entries.push([d.one([...WORDS, 'window', 'other', 'kind', 'levels', 'propensity']), value(d)])
  else if (d.chance(0.15)) entries.splice(at, 1)
  else entries[at] = [d.chance(0.1) ? d.one(WORDS) : entries[at]![0], broken(entries[at]![1], d)]
  return Object.fromEntries(entries)
}

const OPTIONS: Readonly<Record<string, readonly unknown[]>> = {
  profile: ['primo', 'primo-cal', 'robust', 'constructor'],
  schedule: [
    { kind: 'doubling' },
    { kind: 'growth', factor: 1.1 },
    { kind: 'fixed', length: 5 },
    { kind: 'list', ends: [] },
  ],
  window: ['last', 'all', { rounds: 5 }],
  oracle: [{ kind: 'linear', interactions: 'all' }, { kind: 'linear', ridge: 1 }, { indicator: 'shift' }],
  calibration: [false, { delta0: 0.5 }, { weights: 'ipw' }, { ladder: ['bias'] }],
  gamma: ['theory', 'practical', { kind: 'practical', c: 10 }, { kind: 'fixed', value: 3 }],
  minimumPropensity: [0, 0.1, 0.5],
  exploration: [{ kind: 'igw' }, { kind: 'greedy' }, { kind: 'lints' }, { kind: 'plausible' }],
  imputation: ['model', 'mean', 'zero'],
  rows: ['all', 'complete'],
  refresh: [true, false],
  missing: ['plugin', 'distribution'],
  memory: ['chosen', 'all'],
  seed: [0, 7],
  maxEpochAge: [{ milliseconds: 1000 }],
}

function definitionFor(d: Dice): unknown {
  const base = d.one(Object.values(hostileProblems()))
  if (d.chance(0.4)) return base
  const names = Object.keys(OPTIONS).filter(() => d.chance(0.15))
  return { ...base, learning: Object.fromEntries(names.map((name) => [name, d.one(OPTIONS[name]!)])) }
}

/** `ids` are decisions that exist. */
export function hostileRequest(seed: number, ids: readonly string[]): HostileRequest {
  const d = dice(seed)
  const odd = () =>
    d.one(['none', 'no%20ne', '..', '%00', '%ff', '%ED%A0%80', 'a'.repeat(2000), 'é', "'; drop table log;--", '{}'])
  const problem = d.chance(0.9) ? d.one(['plain', 'rich', 'shadow']) : odd()
  const id = () => {
    if (d.chance(0.5) && ids.length > 0) return d.one(ids)
    return d.chance(0.6) ? `e${d.below(50)}` : odd()
  }
  const base = `/v1/problems/${problem}`
  const spare = `/v1/problems/${d.chance(0.8) ? d.one(['spare', 'new1', 'new2', 'new3']) : odd()}`
  const routes: readonly (() => [string, string, unknown?])[] = [
    () => ['POST', `${base}/decisions`, decisionFor(problem, d)],
    () => ['POST', `${base}/decisions`, decisionFor(problem, d)],
    () => ['POST', `${base}/decisions/batch`, { decisions: [decisionFor(problem, d), decisionFor(problem, d)] }],
    () => [
      'POST',
      `${base}/decisions/${id()}/reward`,
      { value: d.next(), ...(d.chance(0.3) ? { rewardId: 'r' } : {}) },
    ],
    () => ['POST', `${base}/decisions/${id()}/reward`, { value: d.next() }],
    () => [
      'POST',
      `${base}/rewards/batch`,
      {
        rewards: [
          { id: id(), value: 1 },
          { id: id(), value: d.next(), rewardId: 'q' },
        ],
      },
    ],
    () => ['POST', `${base}/decisions/${id()}/reveal`, { covariates: { z: d.next() } }],
    () => ['POST', `${base}/decisions/${id()}/activate`, {}],
    () => ['POST', `${base}/decisions/${id()}/void`, { unseen: d.chance(0.5) }],
    () => ['PUT', `${spare}${d.one(['', '?version=new', '?version=old', '?a=1'])}`, definitionFor(d)],
    () => ['PUT', `${spare}${d.one(['', '?version=new'])}`, definitionFor(d)],
    // Each that is accepted starts a thread: not too many of them.
    () =>
      d.chance(0.1)
        ? ['POST', `${base}/evaluations`, { policies: ['uniform'], replicates: 0, rows: 10, seed: d.below(5) }]
        : ['GET', `${base}/summary`],
    () => ['POST', `${spare}/rollback`, { version: d.below(3) }],
    () => ['POST', `${spare}/${d.one(['freeze', 'unfreeze'])}`, {}],
    () => ['GET', `${base}/decisions/${id()}`],
    () => [
      'GET',
      `${base}/${d.one(['summary', 'history', 'epochs', 'calibration', 'elasticity', 'log', 'log?format=csv', 'log?format=xml'])}`,
    ],
    () => ['GET', d.one(['/v1/problems', '/livez', '/readyz', '/metrics', '/openapi.json', '/nothing', base])],
    // Of a problem that exists it would go on for ever.
    () => ['GET', `/v1/problems/${d.one(['nowhere', '%ff', '..', 'a'.repeat(2000)])}/events`],
    () => [
      d.one(['DELETE', 'PATCH', 'OPTIONS', 'PUT', 'HEAD']),
      d.one([`${base}/decisions`, '/v1/problems/gone', '/livez']),
    ],
  ]
  const [method, url, body] = d.one(routes)()
  return { method, url, headers: headersFor(d, body !== undefined), payload: payloadFor(d, body) }
}

function payloadFor(d: Dice, body: unknown): string | undefined {
  if (body === undefined) return d.chance(0.9) ? undefined : '{}'
  const way = d.next()
  if (way < 0.2) return JSON.stringify(body)
  let changed = broken(body, d)
  while (d.chance(0.3)) changed = broken(changed, d)
  const text = (JSON.stringify(changed) ?? '').replaceAll(MARK, () => d.one(RAW))
  if (way < 0.9) return text
  if (way < 0.93) return text.slice(0, d.below(text.length + 1))
  if (way < 0.96) return JSON.stringify(value(d))
  return d.one(['', ' ', '\ufeff{}', 'null', '[]', `${'['.repeat(20_000)}`, '{"context":', '"', 'value=1', '\u0000'])
}

function headersFor(d: Dice, hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = hasBody ? { 'content-type': 'application/json' } : {}
  if (d.chance(0.1))
    headers['content-type'] = d.one([
      'text/plain',
      'application/json; charset=latin1',
      'multipart/form-data',
      '',
      ';;',
      'APPLICATION/JSON',
    ])
  if (d.chance(0.1))
    headers.authorization = d.one(['Bearer', 'Bearer  ', 'Basic abc', 'Bearer x', `Bearer ${'k'.repeat(5000)}`])
  if (d.chance(0.05)) headers.accept = d.one(['text/html', '*', ''])
  if (d.chance(0.05)) headers['content-encoding'] = d.one(['gzip', 'br', 'nonsense'])
  if (d.chance(0.05)) headers.origin = 'http://elsewhere.example'
  if (d.chance(0.05)) headers['x-forwarded-for'] = d.one(['1.2.3.4', 'x'.repeat(3000)])
  if (d.chance(0.03)) headers.range = 'bytes=0-10'
  if (d.chance(0.03)) headers['if-none-match'] = '*'
  return headers
}
