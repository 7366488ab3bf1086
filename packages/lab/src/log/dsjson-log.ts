// VW's dsjson as a decision log: one JSON object per line with the shared context and the actions (`_multi`) under c, the ranking a (numbers
// of actions from 1, the played one first) with its probabilities p, and the label. The reward is -cost. Read once for the names of
// actions, the features and the range of rewards, then once for every time its rows are asked for.

import type { Feature } from '@primo/core'
import { tableError } from '../tables/table-error.js'
import type { ConvertedLog } from './convert-log.js'
import { featureCell, flatFeatures, SeenValues } from './dsjson-features.js'
import type { LogCell, LogRow } from './log-columns.js'
import { logHeader } from './log-header.js'
import { lineBatches } from './read-log.js'
import { timeCell } from './time-cell.js'

const MAX_ACTIONS = 256

interface Event {
  readonly _label_cost?: number | null
  readonly _label_probability?: number
  readonly _label_Action?: number
  readonly _labelIndex?: number
  /** Never shown, and so never played. */
  readonly _deferred?: boolean
  readonly _skipLearn?: boolean
  readonly Timestamp?: string
  readonly EventId?: string
  readonly a?: readonly number[]
  readonly p?: readonly number[]
  readonly pdrop?: number
  readonly RewardValue?: unknown
  readonly c?: { readonly _multi?: readonly unknown[]; readonly _slots?: unknown }
}

/** Opens a dsjson file as a decision log. */
export async function dsjsonLog(file: string): Promise<ConvertedLog> {
  const found = await findings(file)
  const { rows, low, high } = found
  const byName = found.named && found.names.size <= MAX_ACTIONS
  const actions = byName ? [...found.names].sort() : Array.from({ length: found.most }, (_, k) => String(k + 1))
  const features = [...found.values].map(([name, seen]) => [name, seen.feature(rows)] as const)
  const context = Object.fromEntries(features.filter((one): one is readonly [string, Feature] => one[1] !== null))
  const dropped = features.flatMap(([name, feature]) => (feature === null ? [name] : []))
  const min = Number.isFinite(low) ? low : 0
  return {
    file,
    format: 'jsonl',
    header: logHeader({ actions, context, reward: { min, max: high > min ? high : min + 1 } }),
    lost: [
      byName
        ? 'the features of actions: an action is named by its _tag, or by its features'
        : 'which actions are the same in different rows: they have no names that tell them apart, so they are numbered by position',
      'when rewards came, and whether a cost of 0 was observed or is the default',
      ...(dropped.length > 0 ? [`features with more than 256 different texts: ${dropped.join(', ')}`] : []),
      ...(found.strays > 0 ? [`${found.strays} rewards that came without their decision`] : []),
      ...(found.thinned > 0 ? [`that rows were thinned out (pdrop) in ${found.thinned} of ${rows} rows`] : []),
    ],
    rows: async function* () {
      let number = 0
      for await (const event of events(file)) yield rowOf(file, event, ++number, actions, context, byName)
    },
  }
}

async function findings(file: string) {
  const names = new Set<string>()
  const values = new Map<string, SeenValues>()
  let [rows, most, thinned, named] = [0, 0, 0, true]
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let strays = 0
  const stray = () => {
    strays++
  }
  for await (const event of events(file, stray)) {
    rows++
    const own = namesOf(event)
    most = Math.max(most, own.length)
    named &&= new Set(own).size === own.length
    if (names.size <= MAX_ACTIONS) for (const name of own) names.add(name)
    const reward = rewardOf(event)
    if (reward !== null) [low, high] = [Math.min(low, reward), Math.max(high, reward)]
    if ((event.pdrop ?? 0) > 0) thinned++
    for (const [name, value] of flatFeatures(event.c)) {
      if (!values.has(name)) values.set(name, new SeenValues())
      values.get(name)!.add(value)
    }
  }
  if (rows === 0) throw tableError('table-empty', file, 'must have rows, got none')
  return { rows, names, values, most, thinned, strays, named, low, high }
}

function rewardOf({ _label_cost: cost }: Event): number | null {
  return typeof cost === 'number' ? 0 - cost : null
}

function namesOf({ c }: Event): readonly string[] {
  return c!._multi!.map((action) => {
    const tag = (action as { readonly _tag?: unknown } | null)?._tag
    if (typeof tag === 'string' && tag !== '') return tag
    return [...flatFeatures(action)].map(([name, value]) => `${name}=${value}`).join(', ') || '(none)'
  })
}

function rowOf(
  file: string,
  event: Event,
  number: number,
  actions: readonly string[],
  context: Readonly<Record<string, Feature>>,
  byName: boolean,
): LogRow {
  const own = byName ? namesOf(event) : event.c!._multi!.map((_, k) => String(k + 1))
  const { a = [], p = [] } = event
  const base = a.includes(0) ? 0 : 1
  const played =
    event._labelIndex ?? (event._label_Action !== undefined ? event._label_Action - 1 : (a[0] ?? base) - base)
  const action = own[played]
  if (action === undefined)
    throw tableError('table-wrong-type', file, `must play one of ${own.length} actions`, {
      row: number,
      value: played + 1,
    })
  const reward = rewardOf(event)
  const never = event._deferred === true || event._skipLearn === true
  const ranked = a.length === 0 ? own.map((_, k) => k) : a.map((one) => one - base)
  const known = new Map(ranked.map((k, rank) => [own[k], p[rank]]))
  const row: Record<string, LogCell> = {
    decisionId: String(number),
    eventId: event.EventId ?? null,
    time: event.Timestamp === undefined ? null : timeCell(file, 'Timestamp', event.Timestamp, number),
    action,
    propensity: event._label_probability ?? known.get(action) ?? null,
    propensities: p.length === own.length ? actions.map((name) => known.get(name) ?? 0) : null,
    eligible: own.length === actions.length ? null : own,
    reward: never ? null : reward,
    rewardStatus: never ? 'void' : reward === null ? 'dropped' : 'closed',
  }
  const values = flatFeatures(event.c)
  for (const [name, feature] of Object.entries(context)) row[`context.${name}`] = featureCell(feature, values.get(name))
  return row
}

/** The decisions; a reward whose decision is not in the log (RewardValue, no c) is a stray. */
async function* events(file: string, onStray: () => void = () => undefined): AsyncGenerator<Event> {
  let line = 0
  for await (const lines of lineBatches(file)) {
    for (const text of lines) {
      line++
      if (text.trim() === '') continue
      let event: Event
      try {
        event = JSON.parse(text) as Event
      } catch (error) {
        throw tableError('table-unreadable', file, `must be JSON (${(error as Error).message})`, { line })
      }
      if (event.c === undefined && event.RewardValue !== undefined) {
        onStray()
        continue
      }
      if (!Array.isArray(event.c?._multi) || event.c._multi.length === 0)
        throw tableError('table-unreadable', file, 'must have its actions under c._multi', { line })
      if (event.c._slots !== undefined)
        throw tableError('table-unreadable', file, 'must be one decision: events with _slots are several', { line })
      yield event
    }
  }
}
