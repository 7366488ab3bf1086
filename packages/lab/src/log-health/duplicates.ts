// Rows that are there twice: by id, and by content. Equal content alone proves nothing where few contexts occur, so it counts
// only if rows of equal time, subject, context and covariates agree in action, propensity and reward far more often than any two rows do.

import { sortOrder } from '@primo/numeric'
import { count, failure, type LogFinding, ok, percent } from './log-finding.js'
import type { LogSurvey } from './log-survey.js'

interface Repeats {
  /** Rows that repeat an earlier one. */
  readonly rows: number
  /** Of rows that are equal. */
  readonly pairs: number
  /** The first of them, from 1. */
  readonly example: readonly [number, number]
}

export function duplicates(survey: LogSurvey): readonly LogFinding[] {
  const found: LogFinding[] = []
  const ids = repeats(survey.decisions.values())
  if (ids.rows > 0)
    found.push(
      failure(
        'duplicates',
        `${count(ids.rows)} (${percent(ids.rows / survey.rows)}) ${has(ids)} a decisionId that was there before (rows ${ids.example.join(' and ')}).`,
        'Keep one row per decision; look for a join that multiplies rows or an export that was appended twice.',
      ),
    )
  const events = repeats(survey.events.values())
  if (events.rows > 0)
    found.push(
      failure(
        'duplicates',
        `${count(events.rows)} ${has(events)} an eventId that was there before (rows ${events.example.join(' and ')}).`,
        'A retry was decided or logged twice: keep the first row of each event.',
      ),
    )
  const contents = repeats(survey.contents.values())
  const situations = repeats(survey.situations.values())
  const agree = situations.pairs === 0 ? 0 : contents.pairs / situations.pairs
  if (contents.rows > 0 && ids.rows < contents.rows && agree > (1 + agreement(survey)) / 2)
    found.push(
      failure(
        'duplicates',
        `${count(contents.rows)} (${percent(contents.rows / survey.rows)}) ${contents.rows === 1 ? 'equals' : 'equal'} an earlier row in all but ${contents.rows === 1 ? 'its' : 'their'} ids (rows ${contents.example.join(' and ')}).`,
        'Keep one of each, unless equal decisions do occur at the same time.',
      ),
    )
  return found.length > 0 ? found : [ok('duplicates', 'No decision is there twice.')]
}

function has({ rows }: Repeats): string {
  return rows === 1 ? 'has' : 'have'
}

function repeats(prints: Float64Array): Repeats {
  const known: number[] = []
  for (let i = 0; i < prints.length; i++) if (!Number.isNaN(prints[i]!)) known.push(i)
  const values = known.length === prints.length ? prints : Float64Array.from(known, (i) => prints[i]!)
  const order = sortOrder(values)
  let [rows, pairs, run] = [0, 0, 0]
  let example: readonly [number, number] = [0, 0]
  for (let k = 1; k < order.length; k++) {
    run = values[order[k]!] === values[order[k - 1]!] ? run + 1 : 0
    if (run === 0) continue
    rows++
    pairs += run
    const pair = [known[order[k - 1]!]! + 1, known[order[k]!]! + 1] as const
    if (rows === 1 || pair[1] < example[1]) example = pair
  }
  return { rows, pairs, example }
}

/** Probability that two rows at random agree in action and reward. */
function agreement({ action, reward, rows }: LogSurvey): number {
  const played = new Map<number, number>()
  const seen = new Map<number, number>()
  const actions = action.values()
  const rewards = reward.values()
  for (let i = 0; i < rows; i++) {
    played.set(actions[i]!, (played.get(actions[i]!) ?? 0) + 1)
    seen.set(rewards[i]!, (seen.get(rewards[i]!) ?? 0) + 1)
  }
  return squares(played, rows) * squares(seen, rows)
}

function squares(counts: ReadonlyMap<number, number>, rows: number): number {
  let sum = 0
  for (const value of counts.values()) sum += (value / rows) ** 2
  return sum
}
