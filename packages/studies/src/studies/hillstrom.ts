// An e-mail campaign that was really randomised over three arms (64,000 customers): what an arm is worth is known from its own
// customers, so estimates of fixed arms can be checked, and policies learnt from the log are evaluated on it, cross-fitted.
// Whether a customer had bought women's goods is hidden at random given the context; a regression fitted on the first part of
// the customers (who are then left out) predicts it.

import type { LogRow } from '@primo/lab'
import { evaluateLog, evaluationLog, formatFixed, logHeader, targetPolicy } from '@primo/lab'
import { Random } from '@primo/numeric'
import { defineStudy } from '../runner/run-study.js'
import type { Cell, Figures } from '../runner/study-spec.js'
import { arm, figure, table } from '../runner/tables.js'
import { fitPredictor } from './linear-predictor.js'
import { dataFile, firstAbsent, textRecords } from './study-data.js'

const TABLE = 'hillstrom/hillstrom.csv'
const FIRST_PART = 5000

/** Visit rates as published with the data, all customers. */
const arms = [
  { name: 'Mens E-Mail', published: 0.1828 },
  { name: 'Womens E-Mail', published: 0.1514 },
  { name: 'No E-Mail', published: 0.1062 },
] as const
const ZIPS = ['Rural', 'Surburban', 'Urban']
const CHANNELS = ['Multichannel', 'Phone', 'Web']

export interface Customer {
  readonly recency: number
  readonly history: number
  readonly mens: number
  readonly womens: number
  readonly zip: string
  readonly newbie: number
  readonly channel: string
  readonly arm: string
  readonly visit: number
}

export function readCustomers(file: string): readonly Customer[] {
  const [header, ...rows] = textRecords(file)
  const at = (name: string) => header!.indexOf(name)
  return rows.map((row) => ({
    recency: Number(row[at('recency')]),
    history: Number(row[at('history')]),
    mens: Number(row[at('mens')]),
    womens: Number(row[at('womens')]),
    zip: row[at('zip_code')]!,
    newbie: Number(row[at('newbie')]),
    channel: row[at('channel')]!,
    arm: row[at('segment')]!,
    visit: Number(row[at('visit')]),
  }))
}

const header = logHeader({
  actions: arms.map(({ name }) => name),
  context: {
    recency: { type: 'number', min: 1, max: 12 },
    history: { type: 'number', min: 0, max: 9 },
    mens: { type: 'boolean' },
    newbie: { type: 'boolean' },
    zip: { type: 'category', levels: ZIPS },
    channel: { type: 'category', levels: CHANNELS },
  },
  covariates: { womens: { type: 'boolean' } },
  reward: { min: 0, max: 1 },
})

function features({ recency, history, mens, newbie, zip, channel }: Customer): number[] {
  return [
    recency / 12,
    Math.log1p(history) / 9,
    mens,
    newbie,
    ...ZIPS.slice(1).map((one) => Number(zip === one)),
    ...CHANNELS.slice(1).map((one) => Number(channel === one)),
  ]
}

/** The customers as a decision log; `hide`: womens is hidden from some of them. */
export function* campaignLog(customers: readonly Customer[], seed: number, hide: boolean): Generator<LogRow> {
  const random = Random.fromSeed(seed).split('hillstrom')
  const ordered = Array.from(random.permutation(customers.length), (k) => customers[k]!)
  const cut = hide ? Math.min(FIRST_PART, Math.floor(ordered.length / 10)) : 0
  const first = ordered.slice(0, cut)
  const predict = hide
    ? fitPredictor(
        first.map(features),
        first.map(({ womens }) => womens),
      )
    : () => 0.5
  const mask = random.split('mask')
  for (const [k, customer] of ordered.slice(cut).entries()) {
    const { recency, history, mens, womens, newbie, zip, channel, arm, visit } = customer
    // Seen with a probability from 0.4 to 0.9: less often for the new and the lately active.
    const probability = 0.4 + 0.3 * (recency / 12) + 0.2 * (1 - newbie)
    const seen = mask.uniform() < probability || !hide
    yield {
      decisionId: `${k + 1}`,
      action: arm,
      propensity: 1 / arms.length,
      propensities: arms.map(() => 1 / arms.length),
      reward: visit,
      rewardStatus: 'closed',
      'context.recency': recency,
      'context.history': Math.log1p(history),
      'context.mens': mens === 1,
      'context.newbie': newbie === 1,
      'context.zip': zip,
      'context.channel': channel,
      'covariate.womens': seen ? womens === 1 : null,
      'pretrained.womens': Math.min(1, Math.max(0, predict(features(customer)))),
    }
  }
}

let customers: readonly Customer[] | undefined

const LEARNT = ['fixed:Mens E-Mail', 'primo', 'primo-cal', 'robust', 'igw:mean', 'uniform']
const ESTIMATORS = ['ips', 'snips', 'replay'] as const

function estimates({ policies }: ReturnType<typeof evaluateLog>): Cell {
  const figures = policies.map(({ policy, estimates: own }) => [
    policy,
    Object.fromEntries(
      own.flatMap(({ estimator, value, standardError }) => [
        [estimator, value],
        [`${estimator} se`, standardError],
      ]),
    ),
  ])
  return Object.fromEntries(figures)
}

export const hillstrom = defineStudy({
  name: 'hillstrom',
  title: 'An e-mail campaign as a randomised log',
  claim:
    'On a randomised trial of 64,000 customers, IPS, SNIPS and replay give each arm’s own mean; learnt policies are evaluated beside them.',
  full: { repeats: 1 },
  quick: { repeats: 1 },
  absent: () => firstAbsent(TABLE),
  worlds: () => [
    { name: 'fixed arms', hide: false },
    { name: 'learnt policies', hide: true },
  ],
  measure: async ({ hide }, { seed }) => {
    customers ??= readCustomers(dataFile(TABLE)!)
    const log = await evaluationLog(header, campaignLog(customers, seed, hide))
    if (hide) {
      const policies = LEARNT.map((name) => targetPolicy(log, name, { interactions: 'all' }))
      const estimators = ['ips', 'snips', 'direct', 'dr'] as const
      return estimates(evaluateLog(log, { policies, estimators, interactions: 'all', replicates: 0, seed }))
    }
    const policies = arms.map(({ name }) => targetPolicy(log, `fixed:${name}`))
    const cell = estimates(evaluateLog(log, { policies, estimators: ESTIMATORS, replicates: 0, seed }))
    const own = arms.map(({ name }) => [`fixed:${name}`, { ...cell[`fixed:${name}`], ...ownMean(customers!, name) }])
    return Object.fromEntries(own)
  },
  tables: (found) => [
    table(
      'Fixed arms, share of visits: estimates against the arm’s own customers',
      found.places(undefined, [found.worlds[0]!]),
      [
        { ...arm, header: 'arm' },
        figure('customers', 0),
        figure('own', 5, 'own mean'),
        figure('own se', 5, 'se'),
        ...ESTIMATORS.map((name) => figure(name, 5)),
      ],
    ),
    table('Policies learnt from the log', found.places(undefined, [found.worlds[1]!]), [
      arm,
      ...['ips', 'snips', 'direct', 'dr'].flatMap((name) => [figure(name, 4), figure(`${name} se`, 4, 'se')]),
    ]),
  ],
  verdicts: (found) =>
    arms.flatMap(({ name, published }) => {
      const of = (what: string) => found.mean('fixed arms', `fixed:${name}`, what).mean
      return [
        {
          held: Math.abs(of('own') - published) < 0.00005 + 1e-12,
          sentence: `${name}: ${formatFixed(of('own'), 4)} of its customers visited (published ${published}).`,
        },
        ...ESTIMATORS.map((one) => ({
          held: Math.abs(of(one) - of('own')) <= of('own se'),
          sentence: `${name}: ${one} ${formatFixed(of(one), 5)} is within the arm’s standard error ${formatFixed(of('own se'), 5)} of its own mean ${formatFixed(of('own'), 5)}.`,
        })),
      ]
    }),
})

function ownMean(all: readonly Customer[], name: string): Figures {
  const visits = all.filter((one) => one.arm === name)
  const mean = visits.reduce((sum, { visit }) => sum + visit, 0) / visits.length
  return { customers: visits.length, own: mean, 'own se': Math.sqrt((mean * (1 - mean)) / visits.length) }
}
