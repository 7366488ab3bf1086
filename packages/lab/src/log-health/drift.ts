// What moves over time. The rows in the order of their times (or of the file) make ten parts; a mean or share m_s of a part is apart from
// the overall m if |m_s - m| / (sd sqrt(1/n_s - 1/n)) is beyond chance and |m_s - m| is large: a quarter of the sd, or a tenth for shares.
// A reward is looked at less its action's mean, so that a policy that learns is no drift.

import { chanceOf } from './calibration-test.js'
import { FALSE_ALARM, type LogFinding, listed, ok, percent, warning } from './log-finding.js'
import type { LogSurvey } from './log-survey.js'

const PARTS = 10
const LEAST_ROWS = 500
const LEAST_SHIFT = 0.25
const LEAST_SHARE = 0.1

interface Shift {
  readonly name: string
  readonly part: number
  readonly from: number
  readonly to: number
  readonly sd: number
  readonly z: number
  readonly kind: 'mean' | 'share'
}

/** `explained`: the propensities describe what was played. */
export function drift(survey: LogSurvey, order: Uint32Array, explained: boolean): readonly LogFinding[] {
  if (survey.rows < LEAST_ROWS) return [ok('drift', `Not looked at: fewer than ${LEAST_ROWS} rows.`)]
  const context: Shift[] = []
  for (const { name, levels, values } of survey.features) {
    const column = values.values()
    if (levels === null) context.push(...shift(name, 'mean', order, (i) => column[i]!))
    else {
      const named = levels.map((level) => `${name} = ${level}`)
      context.push(...shareShifts(named, order, column))
    }
    context.push(...shift(`missing ${name}`, 'share', order, (i) => (Number.isNaN(column[i]!) ? 1 : 0)))
  }
  const action = survey.action.values()
  const actions = shareShifts(survey.actions, order, action)
  const centred = withoutActionMeans(survey)
  const rewards = shift('reward', 'mean', order, (i) => centred[i]!)
  const tests = PARTS * (context.length + actions.length + rewards.length)
  const large = (shifts: readonly Shift[]) =>
    shifts.filter((one) => isLarge(one, tests)).sort((a, b) => Math.abs(b.z) - Math.abs(a.z))
  const [moved, played, paid] = [large(context), large(actions), large(rewards)]
  const found: LogFinding[] = []
  if (moved.length > 0)
    found.push(
      warning(
        'drift',
        `Who is decided about changes: ${listed(moved.map(said))}.`,
        'Look for a change of units, source or audience there; evaluate the parts apart, or only the newest.',
      ),
    )
  if (paid.length > 0)
    found.push(
      warning(
        'drift',
        `Rewards of the same actions change: ${listed(paid.map(said))}.`,
        'Look for a change in how rewards are counted or how long they may take; let learning forget old rounds.',
      ),
    )
  if (played.length > 0) {
    const says = `Actions are played at other rates: ${listed(played.map(said))}`
    found.push(
      explained
        ? ok('drift', `${says}; the propensities say so too.`)
        : warning('drift', `${says}.`, 'A policy that learns does this; if yours did not, find out what changed.'),
    )
  }
  return found.length > 0
    ? found
    : [ok('drift', 'Context, action shares and rewards stay the same from first to last tenth.')]
}

function isLarge({ kind, from, to, sd, z }: Shift, tests: number): boolean {
  const size = kind === 'mean' ? Math.abs(to - from) / sd : Math.abs(to - from)
  return size >= (kind === 'mean' ? LEAST_SHIFT : LEAST_SHARE) && chanceOf(z, tests) < FALSE_ALARM
}

/** The part that is furthest from the whole; none where nothing varies. */
function shift(
  name: string,
  kind: Shift['kind'],
  order: Uint32Array,
  value: (row: number) => number,
): readonly Shift[] {
  const sums = new Float64Array(PARTS)
  const rows = new Float64Array(PARTS)
  let first = Number.NaN
  let square = 0
  for (let k = 0; k < order.length; k++) {
    const v = value(order[k]!)
    if (Number.isNaN(v)) continue
    if (Number.isNaN(first)) first = v
    const part = Math.floor((k * PARTS) / order.length)
    sums[part]! += v - first
    rows[part]!++
    square += (v - first) ** 2
  }
  return worstPart({ name, kind }, sums, rows, square, first)
}

/** Of the shares of all codes, in one pass. */
function shareShifts(names: readonly string[], order: Uint32Array, codes: Float64Array): readonly Shift[] {
  const counts = names.map(() => new Float64Array(PARTS))
  const rows = new Float64Array(PARTS)
  for (let k = 0; k < order.length; k++) {
    const code = codes[order[k]!]!
    if (Number.isNaN(code)) continue
    const part = Math.floor((k * PARTS) / order.length)
    rows[part]!++
    // A level that the header does not name has no share of its own.
    if (code < names.length) counts[code]![part]!++
  }
  return names.flatMap((name, code) => {
    const sums = counts[code]!
    return worstPart(
      { name, kind: 'share' },
      sums,
      rows,
      sums.reduce((sum, count) => sum + count, 0),
      0,
    )
  })
}

/** From sums of v - first by part and of its squares. */
function worstPart(
  what: Pick<Shift, 'name' | 'kind'>,
  sums: Float64Array,
  rows: Float64Array,
  square: number,
  first: number,
): readonly Shift[] {
  const n = rows.reduce((sum, count) => sum + count, 0)
  const mean = sums.reduce((sum, part) => sum + part, 0) / n
  const sd = Math.sqrt(Math.max(0, square / n - mean * mean))
  if (!(sd > 0)) return []
  let worst: Shift | null = null
  for (let part = 0; part < PARTS; part++) {
    if (rows[part]! < 20 || rows[part]! === n) continue
    const to = sums[part]! / rows[part]!
    const z = (to - mean) / (sd * Math.sqrt(1 / rows[part]! - 1 / n))
    if (Math.abs(z) > Math.abs(worst?.z ?? 0))
      worst = { ...what, part: part + 1, from: mean + first, to: to + first, sd, z }
  }
  return worst === null ? [] : [worst]
}

function withoutActionMeans({ action, reward, actions, rows }: LogSurvey): Float64Array {
  const [played, paid] = [action.values(), reward.values()]
  const sums = new Float64Array(actions.length)
  const counts = new Float64Array(actions.length)
  let known = 0
  let total = 0
  for (let i = 0; i < rows; i++) {
    if (Number.isNaN(paid[i]!)) continue
    sums[played[i]!]! += paid[i]!
    counts[played[i]!]!++
    total += paid[i]!
    known++
  }
  // The overall mean is added so that the sentence is in units of the reward.
  return paid.map((value, i) => value - sums[played[i]!]! / counts[played[i]!]! + total / known)
}

function said({ name, kind, part, from, to }: Shift): string {
  const show = (value: number) => (kind === 'share' ? percent(value) : String(Number(value.toPrecision(3))))
  return `${name} ${show(to)} in tenth ${part} of the log against ${show(from)} overall`
}
