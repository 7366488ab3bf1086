// Census income as a bandit: is the income above 50,000 or not, reward 1 for the right answer, which alone is learnt. The years
// of education are hidden at random given the context; a linear regression on the other columns, fitted on the first part of
// each order (those rows are not decided), predicts them.

import type { TableSpec } from '@primo/lab/node'
import { memoryTable } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { defineStudy } from '../runner/run-study.js'
import { fitPredictor } from './linear-predictor.js'
import { dataFile, firstAbsent, textRecords } from './study-data.js'
import { type ReplayPolicy, replay, replayPlot, replayTable, rightMoreOften } from './table-replays.js'

const FILES = ['adult/adult.data', 'adult/adult.test'] as const
const FIRST_PART = 0.05

export interface Person {
  readonly age: number
  readonly education: number
  readonly hours: number
  /** log(1 + x), over its largest value. */
  readonly gain: number
  readonly loss: number
  readonly workclass: string
  readonly marital: string
  readonly occupation: string
  readonly relationship: string
  readonly race: string
  readonly female: number
  readonly american: number
  readonly rich: boolean
}

const incomeClasses = ['up to 50K', 'above 50K'] as const
const CATEGORIES = ['workclass', 'marital', 'occupation', 'relationship', 'race'] as const

export function readPeople(files: readonly string[]): readonly Person[] {
  return files.flatMap((file) =>
    textRecords(file)
      .filter((row) => row.length === 15)
      .map(
        (row): Person => ({
          age: Number(row[0]),
          workclass: row[1]!,
          education: Number(row[4]),
          marital: row[5]!,
          occupation: row[6]!,
          relationship: row[7]!,
          race: row[8]!,
          female: Number(row[9] === 'Female'),
          gain: Math.log1p(Number(row[10])) / Math.log1p(99_999),
          loss: Math.log1p(Number(row[11])) / Math.log1p(4356),
          hours: Number(row[12]),
          american: Number(row[13] === 'United-States'),
          rich: row[14]!.startsWith('>50K'),
        }),
      ),
  )
}

/** Seen with a probability from 0.3 to 0.9 that depends on age and hours of work. */
function observationProbability({ age, hours }: Person): number {
  const score = 0.4 + (age - 40) / 20 - (hours - 40) / 20
  return 0.3 + 0.6 / (1 + Math.exp(-score))
}

export function adultTable(people: readonly Person[], seed: number, rows: number) {
  const random = Random.fromSeed(seed).split('adult')
  const ordered = Array.from(random.permutation(people.length), (k) => people[k]!)
  const levels = Object.fromEntries(
    CATEGORIES.map((name) => [name, [...new Set(people.map((one) => one[name]))].sort()]),
  ) as Record<(typeof CATEGORIES)[number], string[]>
  const features = (one: Person) => [
    one.age / 100,
    one.hours / 100,
    one.gain,
    one.loss,
    one.female,
    one.american,
    ...CATEGORIES.flatMap((name) => levels[name].slice(1).map((level) => Number(one[name] === level))),
  ]
  const cut = Math.floor(FIRST_PART * ordered.length)
  const first = ordered.slice(0, cut)
  const predict = fitPredictor(
    first.map(features),
    first.map(({ education }) => education),
  )
  const decided = ordered.slice(cut, cut + rows)
  const mask = random.split('mask')
  const seen = decided.map((one) => mask.uniform() < observationProbability(one))
  const column = (of: (one: Person, k: number) => number) => Float64Array.from(decided, of)
  const table = memoryTable('adult', {
    ...Object.fromEntries(
      (['age', 'hours', 'gain', 'loss', 'female', 'american'] as const).map((name) => [
        name,
        column((one) => one[name]),
      ]),
    ),
    ...Object.fromEntries(CATEGORIES.map((name) => [name, decided.map((one) => one[name])])),
    education: column(({ education }) => education),
    seen: column((_, k) => Number(seen[k])),
    model: column((one) => Math.min(16, Math.max(1, predict(features(one))))),
    'up to 50K': column(({ rich }) => Number(!rich)),
    'above 50K': column(({ rich }) => Number(rich)),
  })
  const spec: TableSpec = {
    context: ['age', 'hours', 'gain', 'loss', 'female', 'american', ...CATEGORIES],
    covariate: 'education',
    observed: 'seen',
    rewards: incomeClasses,
    rewardRange: [0, 1],
    ranges: {
      age: [17, 90],
      hours: [1, 99],
      gain: [0, 1],
      loss: [0, 1],
      female: [0, 1],
      american: [0, 1],
      education: [1, 16],
    },
    features: Object.fromEntries(CATEGORIES.map((name) => [name, { type: 'category' as const, levels: levels[name] }])),
  }
  return { table, spec, seenShare: seen.filter(Boolean).length / seen.length }
}

const policies: readonly ReplayPolicy[] = [
  { name: 'primo', policy: 'primo', prediction: 'model' },
  { name: 'primo-cal', policy: 'primo-cal', prediction: 'model' },
  { name: 'robust', policy: 'robust', prediction: 'model' },
  { name: 'robust, no education', policy: { options: { profile: 'robust' }, sees: 'none' } },
  { name: 'robust, always seen', policy: { options: { profile: 'robust' }, sees: 'truth' }, prediction: 'model' },
  { name: 'no education', policy: 'no-z' },
  { name: 'mean imputation', policy: 'mean-imputation' },
  { name: 'complete cases', policy: 'complete-case' },
  { name: 'missing indicator', policy: 'indicator', prediction: 'model' },
  { name: 'LinUCB', policy: 'linucb:pretrained', prediction: 'model' },
  { name: 'best fixed answer', policy: 'best-fixed-action' },
]

let people: readonly Person[] | undefined

function ordered(seed: number, { rows }: { readonly rows: number }) {
  people ??= readPeople(FILES.map((name) => dataFile(name)!))
  return adultTable(people, seed, rows)
}

export const adult = defineStudy({
  name: 'adult',
  title: 'Census income with years of education that are often hidden',
  claim: 'On 48,842 real rows a learner that imputes a hidden covariate ends up right more often than one without it.',
  // Repeats are orders of the rows.
  full: { repeats: 10, rows: 46_000 },
  quick: { repeats: 2, rows: 8000 },
  absent: () => firstAbsent(...FILES),
  worlds: () => [{ name: 'adult' }],
  measure: (_world, { seed, size }) => replay(policies, ordered(seed, size), seed),
  tables: (found) => [
    replayTable('Share of right answers, means over orders', found, 'primo'),
    replayTable('The same against no education at all', found, 'robust, no education'),
  ],
  plots: (found) => [
    replayPlot('Share of right answers while learning', found, [
      'primo',
      'primo-cal',
      'robust',
      'robust, no education',
      'robust, always seen',
    ]),
  ],
  verdicts: (found) =>
    ['robust, no education', 'best fixed answer'].map((other) => rightMoreOften(found.place('adult', 'robust'), other)),
})
