// An e-mail campaign that was really randomised over three arms (64,000 customers): what an arm is worth is known from its own
// customers, so estimates of fixed arms can be checked, and policies learnt from the log are evaluated on it, cross-fitted.
// Whether a customer had bought women's goods is hidden at random given the context; a regression fitted on the first part of
// the customers (who are then left out) predicts it.

import type { LogRow } from '@primo/lab'
import { evaluateLog, evaluationLog, formatFixed, logHeader, targetPolicy } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { evaluationResult } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { fitPredictor } from './linear-predictor.js'
import { dataFile, passedOver, textRecords } from './study-data.js'

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

async function run(options: StudyOptions): Promise<StudyResult> {
  const file = dataFile(TABLE)
  if (file === null) return passedOver(TABLE, options)
  const { scale, seed, onProgress } = options
  const customers = readCustomers(file)
  const replicates = scale === 'quick' ? 200 : 1000
  const whole = await evaluationLog(header, campaignLog(customers, seed, false))
  const fixed = evaluateLog(whole, {
    policies: arms.map(({ name }) => targetPolicy(whole, `fixed:${name}`)),
    estimators: ['ips', 'snips', 'replay'],
    replicates,
    seed,
  })
  onProgress?.(0.3)
  const partly = await evaluationLog(header, campaignLog(customers, seed, true))
  const learnt = evaluateLog(partly, {
    policies: ['fixed:Mens E-Mail', 'primo', 'primo-cal', 'robust', 'igw:mean', 'uniform'].map((name) =>
      targetPolicy(partly, name, { interactions: 'all' }),
    ),
    against: 'fixed:Mens E-Mail',
    estimators: ['ips', 'snips', 'direct', 'dr'],
    interactions: 'all',
    replicates,
    seed,
  })
  onProgress?.(1)
  const shown = evaluationResult(learnt)
  return {
    settings: { scale, customers: customers.length, evaluated: learnt.rows, replicates, seed },
    tables: [
      {
        title: 'Fixed arms, share of visits: estimates against the arm’s own customers',
        header: ['arm', 'customers', 'own mean', 'se', 'ips', 'snips', 'replay'],
        rows: arms.map(({ name }) => {
          const own = ownMean(customers, name)
          const by = estimatesOf(fixed, `fixed:${name}`)
          return [
            name,
            own.count.toLocaleString('en'),
            formatFixed(own.mean, 5),
            formatFixed(own.standardError, 5),
            ...(['ips', 'snips', 'replay'] as const).map((one) => formatFixed(by.get(one)!, 5)),
          ]
        }),
      },
      ...shown.tables,
    ],
    plots: shown.plots,
    verdicts: armVerdicts(customers, fixed),
  }
}

function ownMean(customers: readonly Customer[], arm: string) {
  const visits = customers.filter((one) => one.arm === arm)
  const count = visits.length
  const mean = visits.reduce((sum, { visit }) => sum + visit, 0) / count
  return { count, mean, standardError: Math.sqrt((mean * (1 - mean)) / count) }
}

function estimatesOf({ policies }: ReturnType<typeof evaluateLog>, name: string): ReadonlyMap<string, number> {
  const { estimates } = policies.find(({ policy }) => policy === name)!
  return new Map(estimates.map(({ estimator, value }) => [estimator, value]))
}

function armVerdicts(customers: readonly Customer[], fixed: ReturnType<typeof evaluateLog>): readonly Verdict[] {
  return arms.flatMap(({ name, published }) => {
    const own = ownMean(customers, name)
    const by = estimatesOf(fixed, `fixed:${name}`)
    return [
      {
        held: Math.abs(own.mean - published) < 0.00005 + 1e-12,
        sentence: `${name}: ${formatFixed(own.mean, 4)} of its customers visited (published ${published}).`,
      },
      ...(['ips', 'snips', 'replay'] as const).map((one) => ({
        held: Math.abs(by.get(one)! - own.mean) <= own.standardError,
        sentence: `${name}: ${one} ${formatFixed(by.get(one)!, 5)} is within the arm’s standard error ${formatFixed(own.standardError, 5)} of its own mean ${formatFixed(own.mean, 5)}.`,
      })),
    ]
  })
}

export const hillstrom: Study = {
  name: 'hillstrom',
  title: 'An e-mail campaign as a randomised log',
  claim:
    'On a randomised trial of 64,000 customers, IPS, SNIPS and replay give each arm’s own mean; learnt policies are evaluated beside them.',
  run,
}
