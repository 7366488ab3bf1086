// Rewards that are not there, whether that depends on the action, and how long the others took.

import { normalDistribution, sortOrder } from '@primo/numeric'
import { count, FALSE_ALARM, failure, type LogFinding, listed, ok, percent, warning } from './log-finding.js'
import type { LogSurvey } from './log-survey.js'

const LARGE_DIFFERENCE = 0.05
const LEAST_DIFFERENCE = 0.01
const LARGE_SHARE = 0.2
/** Of rows, the newest. */
const NEWEST = 0.1
/** Of times: smaller ones are seconds, not milliseconds. */
const EARLIEST = 1e11

export function missingRewards(survey: LogSurvey): readonly LogFinding[] {
  const K = survey.actions.length
  const [action, reward, due] = [survey.action.values(), survey.reward.values(), survey.due.values()]
  const rows = new Float64Array(K)
  const missing = new Float64Array(K)
  for (let i = 0; i < survey.rows; i++) {
    if (due[i] === 0) continue
    rows[action[i]!]!++
    if (Number.isNaN(reward[i]!)) missing[action[i]!]!++
  }
  const all = rows.reduce((sum, n) => sum + n, 0)
  const none = missing.reduce((sum, n) => sum + n, 0)
  if (all === 0)
    return [failure('missing rewards', 'No reward is final.', 'Wait for rewards, or look at how they are joined.')]
  const share = none / all
  if (none === 0) return [ok('missing rewards', `All ${count(all, 'decision')} whose time has come have a reward.`)]
  // Against the other actions together.
  const apart = Array.from({ length: K }, (_, a) => {
    const others = all - rows[a]!
    if (rows[a]! === 0 || others === 0) return { a, difference: 0, chance: 1 }
    const difference = missing[a]! / rows[a]! - (none - missing[a]!) / others
    const z = difference / Math.sqrt(share * (1 - share) * (1 / rows[a]! + 1 / others) + Number.MIN_VALUE)
    return { a, difference, chance: K * 2 * normalDistribution(-Math.abs(z)) }
  })
  const differ = apart.filter(
    ({ difference, chance }) => chance < FALSE_ALARM && Math.abs(difference) >= LEAST_DIFFERENCE,
  )
  const says = `${count(none)} of ${all.toLocaleString('en')} (${percent(share)}) ${none === 1 ? 'has' : 'have'} no reward`
  if (differ.length > 0) {
    const shares = differ.map(({ a }) => `${survey.actions[a]} ${percent(missing[a]! / rows[a]!)}`)
    const large = differ.some(({ difference }) => Math.abs(difference) >= LARGE_DIFFERENCE)
    return [
      (large ? failure : warning)(
        'missing rewards',
        `${says}, and that depends on the action: ${listed(shares)}.`,
        'What is left is not what was played: find out how rewards get lost; if no reward means nothing happened, log that value (`default`).',
      ),
    ]
  }
  if (share >= LARGE_SHARE)
    return [
      warning(
        'missing rewards',
        `${says}, about equally for every action.`,
        'Look at how rewards are joined; if no reward means nothing happened, log that value (`default`).',
      ),
    ]
  return [ok('missing rewards', `${says}, about equally for every action.`)]
}

export function delays(survey: LogSurvey, order: Uint32Array): readonly LogFinding[] {
  const found: LogFinding[] = []
  const known = survey.delay.values().filter((delay) => !Number.isNaN(delay))
  const early = known.reduce((sum, delay) => sum + (delay < 0 ? 1 : 0), 0)
  if (early > 0)
    found.push(
      failure(
        'delays',
        `${count(early, 'reward')} came before ${early === 1 ? 'its' : 'their'} decision.`,
        'Look at the clocks, the time zones, and whether rewards are joined to a later decision.',
      ),
    )
  const times = survey.time.values()
  const seconds = times.reduce((sum, time) => sum + (time > 0 && time < EARLIEST ? 1 : 0), 0)
  if (seconds > survey.rows / 2)
    found.push(
      warning('delays', 'Times look like seconds since 1970.', 'Multiply them by 1,000: a log has milliseconds.'),
    )
  const first = Math.floor((1 - NEWEST) * survey.rows)
  const open = survey.open.values()
  let [before, newest] = [0, 0]
  for (let k = 0; k < survey.rows; k++) {
    if (open[order[k]!] === 0) continue
    if (k < first) before++
    else newest++
  }
  if (before + newest > 0) {
    const shares = `${percent(newest / (survey.rows - first))} of the newest tenth, ${percent(before / Math.max(1, first))} of the rest`
    const says = `${count(before + newest)} still wait for a reward: ${shares}.`
    const uneven = newest / (survey.rows - first) > 0.05 + (2 * before) / Math.max(1, first)
    found.push(
      uneven
        ? warning(
            'delays',
            says,
            'Rewards that come fast are over-represented there: evaluate up to the last decision whose time is over.',
          )
        : ok('delays', says),
    )
  }
  if (known.length === 0) found.push(ok('delays', 'Not looked at: no times of decision and reward.'))
  else if (early === 0) found.push(ok('delays', `Rewards took ${spread(known)}.`))
  return found
}

function spread(delays: Float64Array): string {
  const order = sortOrder(delays)
  const at = (p: number) => duration(delays[order[Math.min(delays.length - 1, Math.floor(p * delays.length))]!]!)
  return `${at(0.5)} in the middle, ${at(0.95)} at most in 95% of cases, ${at(1)} at the longest`
}

function duration(milliseconds: number): string {
  const units: readonly (readonly [number, string])[] = [
    [86_400_000, 'days'],
    [3_600_000, 'hours'],
    [60_000, 'minutes'],
    [1000, 's'],
  ]
  const [size, unit] = units.find(([size]) => milliseconds >= 2 * size) ?? [1, 'ms']
  return `${Number((milliseconds / size).toPrecision(3))} ${unit}`
}
