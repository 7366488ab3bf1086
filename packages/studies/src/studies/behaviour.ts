// Whether intervals by estimated propensities hold the truth as often as they say, where one of the classes of behaviour models is right.

import { formatFixed } from '@primo/lab'
import { evaluateByBehaviour, type Study, type StudyOptions, type StudyResult, type Verdict } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { type Behaviour, behaviourPolicies, behaviours, drawBehaviourLog } from './behaviour-world.js'

const LEAST = 0.92
const MOST = 0.99
const ROWS = [500, 2000, 10_000]
const ESTIMATORS = ['ips', 'dr'] as const

/** One figure: a policy's value by an estimator in logs of one kind and size. */
interface Coverage {
  readonly world: Behaviour
  readonly rows: number
  readonly policy: string
  readonly estimator: string
  readonly errors: number[]
  readonly standardErrors: number[]
  held: number
}

/** How much of it: the full study by default, less in tests. */
export interface BehaviourSize {
  readonly logs: number
  readonly rows: readonly number[]
}

/** The study with a size of its own. */
export async function runBehaviour(
  { scale, seed, onProgress }: StudyOptions,
  { logs, rows: sizes }: BehaviourSize = scale === 'quick'
    ? { logs: 30, rows: [500, 2000] }
    : { logs: 400, rows: ROWS },
): Promise<StudyResult> {
  const policies = behaviourPolicies()
  const worlds = Object.keys(behaviours) as Behaviour[]
  const found = new Map<string, Coverage>()
  const chosen = new Map<string, Record<string, number>>()
  const steps = worlds.length * sizes.reduce((sum, rows) => sum + rows * logs, 0)
  let done = 0
  for (const world of worlds) {
    for (const rows of sizes) {
      const classes: Record<string, number> = { linear: 0, products: 0, trees: 0 }
      chosen.set(`${world}, ${rows.toLocaleString('en')} rows`, classes)
      for (let k = 0; k < logs; k++) {
        const { log } = drawBehaviourLog(world, rows, Random.fromSeed(seed).split('behaviour', world, rows, k))
        const { evaluation, behaviour } = evaluateByBehaviour(log, {
          policies: policies.map(({ policy }) => policy),
          estimators: ESTIMATORS,
          replicates: 0,
          observing: false,
          seed: k,
        })
        classes[behaviour.class] = classes[behaviour.class]! + 1
        evaluation.policies.forEach(({ policy, estimates }, j) => {
          for (const { estimator, value, standardError, asymptotic } of estimates) {
            const key = `${world} ${rows} ${policy} ${estimator}`
            const one = found.get(key) ?? { world, rows, policy, estimator, errors: [], standardErrors: [], held: 0 }
            found.set(key, one)
            const truth = policies[j]!.value
            one.errors.push(value - truth)
            one.standardErrors.push(standardError)
            if (asymptotic !== null && asymptotic.low <= truth && truth <= asymptotic.high) one.held++
          }
        })
        done += rows
        onProgress?.(done / steps)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
  }
  const all = [...found.values()]
  return {
    settings: { scale, logs, seed },
    tables: [coverageTable(all), classTable(chosen)],
    plots: [coveragePlot(all, logs)],
    verdicts: verdicts(all),
  }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function coverageTable(all: readonly Coverage[]) {
  return {
    title:
      'Value by estimated propensities: bias, spread, what the interval takes it for, and share of 95% intervals that hold the truth',
    header: ['played by', 'rows', 'policy', 'estimator', 'bias', 'sd', 'mean standard error', 'hold the truth'],
    rows: all.map(({ world, rows, policy, estimator, errors, standardErrors, held }) => {
      const bias = mean(errors)
      const sd = Math.sqrt(mean(errors.map((error) => (error - bias) ** 2)))
      const figures = [bias, sd, mean(standardErrors)].map((value) => formatFixed(value, 4))
      const share = formatFixed(held / errors.length, 3)
      return [world, rows.toLocaleString('en'), policy, estimator, ...figures, share]
    }),
  }
}

function classTable(chosen: ReadonlyMap<string, Readonly<Record<string, number>>>) {
  return {
    title: 'Which class was chosen, in how many logs',
    header: ['played by', 'logit', 'logit with products', 'trees'],
    rows: [...chosen].map(([setting, { linear, products, trees }]) => [
      setting,
      ...[linear, products, trees].map((count) => String(count)),
    ]),
  }
}

function coveragePlot(all: readonly Coverage[], logs: number) {
  const groups = grouped(all)
  return {
    title: 'Share of 95% intervals that hold the truth, over the policies',
    xLabel: 'rows',
    yLabel: 'hold the truth',
    xLog: true,
    close: true,
    series: [...new Set(groups.map(({ name }) => name))].map((name) => ({
      name,
      points: groups
        .filter((one) => one.name === name)
        .map(({ rows, share }) => {
          const error = 2 * Math.sqrt((share * (1 - share)) / logs)
          return { x: rows, y: share, low: share - error, high: Math.min(1, share + error) }
        }),
    })),
  }
}

/** By world, size and estimator, over the policies. */
function grouped(all: readonly Coverage[]) {
  const keys = [...new Set(all.map(({ world, rows, estimator }) => `${world} ${rows} ${estimator}`))]
  return keys.map((key) => {
    const own = all.filter(({ world, rows, estimator }) => `${world} ${rows} ${estimator}` === key)
    const { world, rows, estimator } = own[0]!
    const shares = own.map(({ held, errors }) => held / errors.length)
    const share = mean(shares)
    return {
      name: `${estimator}, ${world}`,
      rows,
      share,
      least: Math.min(...shares),
      most: Math.max(...shares),
      logs: own[0]!.errors.length,
    }
  })
}

/** Over the policies within the limits as they are at full scale; each policy, and any of a quick run, within three standard errors of them. */
function verdicts(all: readonly Coverage[]): readonly Verdict[] {
  return grouped(all).map(({ name, rows, share, least, most, logs }) => {
    const slack = 3 * Math.sqrt((0.95 * 0.05) / logs)
    const own = logs < 400 ? slack : 0
    return {
      held: share >= LEAST - own && share <= MOST + own && least >= LEAST - slack && most <= MOST + slack,
      sentence: `Intervals of ${name} at ${rows.toLocaleString('en')} rows hold the truth in ${formatFixed(100 * share, 1)}% of ${logs} logs, policy by policy in ${formatFixed(100 * least, 1)} to ${formatFixed(100 * most, 1)}% (${100 * LEAST} to ${100 * MOST}%; single policies within three standard errors).`,
    }
  })
}

export const behaviour: Study = {
  name: 'behaviour',
  title: 'Logs without propensities: coverage',
  claim:
    'Where a class of behaviour models is right, 95% intervals of IPS and doubly robust values by estimated propensities hold the truth in 92% to 99% of logs, from 500 to 10,000 rows.',
  run: (options) => runBehaviour(options),
}
