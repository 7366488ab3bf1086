// Short names of scenarios: an environment, then dials in the manner of a URL query:
//   A    MNAR+4    dosing    A?mnarStrength=2&bias=0.3&delay=50    family?reward=quadratic&draw=7
// A dial is one of the list below or an option of the environment's own.

import { referenceEnvironments } from './reference-data.js'
import { parseScenario, type ScenarioSpec, scenarioOptions } from './scenario-spec.js'
import { isRecord, refuse } from './spec-fields.js'

interface Named {
  readonly name: string
  readonly description: string
}

/** Every name that a scenario can start with. */
export const scenarioNames: readonly Named[] = [
  { name: 'A', description: '5 features, 5 actions, reward linear in z, half of z missing at random given x' },
  { name: 'B', description: 'as A with a reward that is quadratic in z and more noise in z' },
  { name: 'MNAR+4', description: 'as A, but large values of z are observed more often than the context explains' },
  { name: 'MNAR+4 mild bias', description: 'the same with a pre-trained model that is less wrong' },
  { name: 'MNAR-4', description: 'as A, but small values of z are observed more often than the context explains' },
  { name: 'MNAR-4 mild bias', description: 'the same with a pre-trained model that is less wrong' },
  { name: 'bandit', description: 'no context and no covariate: one action is better than the others' },
  { name: 'dosing', description: 'patients, a genotype that is often not measured, three dose levels' },
  { name: 'pricing', description: 'customers, an income that is often withheld, four prices, revenue in dollars' },
  { name: 'bends', description: 'rewards, covariate and missingness all bent: linear classes miss everything' },
  { name: 'family', description: 'environments with parameters drawn at random, of any size and kind' },
]

interface Dial extends Named {
  readonly path: readonly string[]
}

/** What can be turned on every scenario with a covariate (delays on all). */
export const scenarioDials: readonly Dial[] = [
  { name: 'mechanism', path: ['missingness', 'kind'], description: 'mcar, mar, mnar, blocks or drift' },
  { name: 'share', path: ['missingness', 'share'], description: 'share of rounds whose covariate is missing' },
  { name: 'strength', path: ['missingness', 'strength'], description: 'how much observation depends on the context' },
  {
    name: 'mnarStrength',
    path: ['missingness', 'mnarStrength'],
    description: 'how much it depends on the hidden value',
  },
  { name: 'length', path: ['missingness', 'length'], description: 'blocks: rounds in a run' },
  { name: 'from', path: ['missingness', 'from'], description: 'drift: missing share at the start' },
  { name: 'to', path: ['missingness', 'to'], description: 'drift: missing share at the end' },
  { name: 'over', path: ['missingness', 'rounds'], description: 'drift: rounds from start to end' },
  { name: 'bias', path: ['imputer', 'bias'], description: 'systematic error of the pre-trained model, 0 for none' },
  { name: 'noise', path: ['imputer', 'noise'], description: 'standard deviation of its random error' },
  { name: 'extra', path: ['imputer', 'extra'], description: 'share of the noise it explains by an input of its own' },
  { name: 'staleAt', path: ['imputer', 'stale', 'at'], description: 'round at which the truth moves away from it' },
  { name: 'staleOver', path: ['imputer', 'stale', 'over'], description: 'rounds that the move takes, 0 for a jump' },
  { name: 'staleAmount', path: ['imputer', 'stale', 'amount'], description: 'how far it moves, up to 1' },
  { name: 'delay', path: ['delay', 'rounds'], description: 'rounds until a reward arrives' },
  {
    name: 'delayMean',
    path: ['delay', 'mean'],
    description: 'mean number of rounds until a reward arrives (geometric)',
  },
]

/**
 * A scenario by its short name: an environment, then dials as in a URL's query.
 * @example scenarioFromName('A?mnarStrength=2&bias=0.3&delay=50')
 */
export function scenarioFromName(text: string): ScenarioSpec {
  const question = text.indexOf('?')
  const base = (question < 0 ? text : text.slice(0, question)).trim()
  const known = scenarioNames.find(({ name }) => name.toLowerCase() === base.toLowerCase())
  if (known === undefined) refuse('scenario', `one of ${scenarioNames.map(({ name }) => name).join(', ')}`, base)
  const reference = referenceEnvironments.find(({ name }) => name === known.name)
  const kind = (reference === undefined ? known.name : 'reference') as ScenarioSpec['kind']
  const spec: Record<string, unknown> =
    reference === undefined ? { kind, name: text.trim() } : { kind, environment: reference.name, name: text.trim() }
  for (const part of question < 0 ? [] : text.slice(question + 1).split('&')) {
    if (part.trim() === '') continue
    const [dial = '', ...rest] = part.split('=')
    setPath(spec, pathOf(kind, dial.trim()), dialValue(rest.join('=').trim()))
  }
  if (isRecord(spec.missingness)) completeMissingness(spec.missingness, reference?.mnarStrength ?? 0)
  return parseScenario(spec)
}

/** The short name of a scenario: what `scenarioFromName` reads. */
export function scenarioName(spec: ScenarioSpec): string {
  const own = Object.keys(scenarioOptions[spec.kind]).filter((name) => name !== 'environment')
  const dials = [...own.map((name) => ({ name, path: [name] })), ...scenarioDials]
  const query = dials.flatMap(({ name, path }) => {
    const value = valueAt(spec, path)
    return value === undefined ? [] : [`${name}=${String(value)}`]
  })
  const base = spec.kind === 'reference' ? spec.environment : spec.kind
  return query.length === 0 ? base : `${base}?${query.join('&')}`
}

function pathOf(kind: ScenarioSpec['kind'], name: string): readonly string[] {
  const own = Object.keys(scenarioOptions[kind]).filter((option) => option !== 'environment')
  if (own.includes(name)) return [name]
  const dial = scenarioDials.find((each) => each.name === name)
  if (dial === undefined)
    refuse('dial', `one of ${[...own, ...scenarioDials.map((each) => each.name)].join(', ')}`, name)
  return dial.path
}

function dialValue(text: string): unknown {
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

function valueAt(target: unknown, path: readonly string[]): unknown {
  let at = target
  for (const key of path) at = isRecord(at) ? at[key] : undefined
  return at
}

function setPath(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = target
  for (const key of path.slice(0, -1)) {
    if (!isRecord(at[key])) at[key] = {}
    at = at[key] as Record<string, unknown>
  }
  at[path.at(-1)!] = value
}

/** The mechanism that the other dials belong to, where none was named. */
function completeMissingness(missingness: Record<string, unknown>, ownStrength: number): void {
  const has = (name: string) => Object.hasOwn(missingness, name)
  if (!has('kind')) {
    if (has('length')) missingness.kind = 'blocks'
    else if (has('from') || has('to') || has('rounds')) missingness.kind = 'drift'
    else missingness.kind = has('mnarStrength') || ownStrength !== 0 ? 'mnar' : 'mar'
  }
  if (missingness.kind === 'mnar' && !has('mnarStrength') && ownStrength !== 0) missingness.mnarStrength = ownStrength
}
