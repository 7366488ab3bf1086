// primo study adaptive-logs: do intervals hold on logs that a learning policy made? Limits that hold at all times
// must miss ever in at most 5% of logs; intervals for the whole log must cover as they say; intervals that take the
// rows for independent are shown beside them.

import { type EvaluationInterval, evaluateAnytime, evaluateLog, evaluationLog, type TargetPolicy } from '@primo/lab'
import { Random } from '@primo/numeric'
import { defineStudy } from '../runner/run-study.js'
import { arm, figure, table, world } from '../runner/tables.js'
import { covers } from '../runner/verdicts.js'
import {
  type AdaptiveWorld,
  adaptiveHeader,
  adaptiveLog,
  adaptiveValues,
  adaptiveWorlds,
  loggers,
} from './adaptive-log-worlds.js'

const POLICIES: readonly TargetPolicy[] = ['a', 'b'].map((action) => ({
  kind: 'fixed',
  name: `fixed:${action}`,
  action,
}))
const NAIVE = ['dr as if independent', 'mean of its rows']

const holds = ({ low, high }: EvaluationInterval, truth: number) => (low <= truth && truth <= high ? 1 : 0)
const width = ({ low, high }: EvaluationInterval) => high - low

/** The first interval that comes to mind: the mean reward of the rows that played b, with its normal interval. */
function meanOfItsRows(reward: Float64Array, action: Uint16Array): EvaluationInterval {
  const own = reward.filter((_, i) => action[i] === 1)
  const mean = own.reduce((sum, r) => sum + r, 0) / Math.max(1, own.length)
  const half = 1.96 * Math.sqrt((mean * (1 - mean)) / Math.max(1, own.length))
  return { low: mean - half, high: mean + half }
}

export const adaptiveLogs = defineStudy({
  name: 'adaptive-logs',
  title: 'Evaluation on logs of learning policies',
  claim:
    'On logs that a learning policy made, limits that hold at all times miss ever in at most 5% of logs, and stabilised intervals cover in 93% to 97%, where intervals that take the rows for independent do not.',
  full: { repeats: 1000, rows: 1000 },
  quick: { repeats: 20, rows: 400 },
  worlds: () =>
    (Object.keys(adaptiveWorlds) as AdaptiveWorld[]).flatMap((kind) =>
      loggers.map((logger) => ({ name: `${kind}, ${logger}`, kind, logger })),
    ),
  measure: async ({ kind, logger }, { seed: ownSeed, repeat, size }) => {
    const random = Random.fromSeed(ownSeed - repeat).split('adaptive logs', kind, logger, repeat)
    const log = await evaluationLog(adaptiveHeader, adaptiveLog(kind, logger, size.rows, random.split('log')))
    const truth = adaptiveValues(kind)
    const gap = truth[1] - truth[0]
    const seed = random.integer(2 ** 31)
    const { policies, path, mayBeBest } = evaluateAnytime(log, { policies: POLICIES, against: 'fixed:a', seed })
    const best = POLICIES.filter((_, k) => truth[k] === Math.max(...truth))
    const { anytime, atEnd } = policies[1]!
    const stabilised = atEnd.asymptotic!
    const dr = evaluateLog(log, { policies: [POLICIES[1]!], estimators: ['dr'], replicates: 0, seed })
    const [b, { choices }] = [truth[1], log]
    return {
      'at all times': {
        covered: path.every(({ values }) => values.every((limits, k) => holds(limits, truth[k]!))) ? 1 : 0,
        'difference covered': path.every(({ differences }) => holds(differences[0]!, gap)) ? 1 : 0,
        'best kept': best.every(({ name }) => mayBeBest.includes(name)) ? 1 : 0,
        'one left': mayBeBest.length === 1 ? 1 : 0,
        width: width(anytime),
      },
      stabilised: { covered: holds(stabilised, b), width: width(stabilised) },
      [NAIVE[0]!]: { covered: holds(dr.policies[0]!.estimates[0]!.asymptotic!, b) },
      [NAIVE[1]!]: { covered: holds(meanOfItsRows(choices.reward, choices.action), b) },
    }
  },
  tables: (found) => [
    table(
      `Two fixed actions on logs of ${found.size.rows} rows: shares of ${found.size.repeats} logs`,
      found.places(),
      [
        { ...world, header: 'world, logger' },
        { ...arm, header: 'interval' },
        ...['covered', 'difference covered', 'best kept', 'one left', 'width'].map((name) => figure(name)),
      ],
    ),
  ],
  verdicts: (found) => {
    const slack = found.size.repeats >= 1000 ? 0 : 3
    const limits = (what: string, name: string, arms: string[], least: number, most = 1) =>
      found
        .places(arms)
        .map((place) => covers({ what: `${place.world}: ${what}`, hits: place.values(name), least, most, slack }))
    const failing = found.places(NAIVE).filter((place) => place.mean('covered').mean < 0.93).length
    const anytime = ['at all times']
    return [
      ...limits('limits at all times never miss a value in', 'covered', anytime, 0.95),
      ...limits('nor the difference in', 'difference covered', anytime, 0.95),
      ...limits('a best policy is never dropped in', 'best kept', anytime, 0.95),
      ...limits('stabilised intervals cover in', 'covered', ['stabilised'], 0.93, 0.97),
      {
        held: failing > 0,
        sentence: `Intervals that take rows for independent cover in less than 93% of logs in ${failing} of ${2 * found.worlds.length} cases (claim: some).`,
      },
    ]
  },
})
