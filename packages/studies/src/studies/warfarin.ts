// Warfarin dosing on the IWPC cohort: the dose class as action, clinical values as context, the VKORC1 genotype as
// the covariate that is really missing for a quarter of the patients. Two pre-trained models: a clinical regression
// fitted on the first part of each order (those patients are not decided), and what linked markers say, with the
// regression where they are silent. Published dosing equations as references; they were fitted on part of these
// patients and are optimistic.

import { formatFixed, policyByName, summarise } from '@primo/lab'
import type { StudyTable, Table, TableSpec, Verdict } from '@primo/lab/node'
import { memoryTable, tableWorld } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import type { Found, Place } from '../runner/found.js'
import { type Policy, play, robustPolicy } from '../runner/play.js'
import { bandPoints } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { paired } from '../runner/statistics.js'
import type { Cell, Figures } from '../runner/study-spec.js'
import { arm, column, table } from '../runner/tables.js'
import { percent } from '../runner/verdicts.js'
import { fitPredictor } from './linear-predictor.js'
import { dataFile, firstAbsent } from './study-data.js'
import {
  type Convention,
  clinicalDose,
  doseClass,
  doseClasses,
  FIXED_DOSE,
  filled,
  pharmacogeneticDose,
  shareRight,
} from './warfarin-doses.js'
import { type Patient, readPatients } from './warfarin-patients.js'

const TABLE = 'warfarin/warfarin.csv'
const FIRST_PART = 0.1

const references: readonly {
  readonly name: string
  readonly dose: (patient: Patient) => number
  readonly published?: number
}[] = [
  { name: 'fixed 5 mg/day', dose: () => FIXED_DOSE, published: 61.2 },
  { name: 'clinical equation', dose: clinicalDose, published: 64.3 },
  {
    name: 'pharmacogenetic equation',
    dose: (patient) => pharmacogeneticDose(patient, patient.alleles),
    published: 67.8,
  },
  {
    name: 'pharmacogenetic equation, linked markers',
    dose: (patient) => pharmacogeneticDose(patient, patient.alleles ?? patient.linked),
  },
]

/** Policies by the column of the prediction that they impute with. */
const POLICIES: Readonly<Record<string, readonly Policy[]>> = {
  regression: ['primo', 'primo-cal', 'robust', renamed('missing indicator', 'indicator')],
  linked: [
    renamed('primo, linked markers', 'primo'),
    renamed('primo-cal, linked markers', 'primo-cal'),
    robustPolicy('robust, linked markers'),
    renamed('LinUCB, linked markers', 'linucb:pretrained'),
  ],
  none: [
    { ...robustPolicy('robust, no genotype'), sees: 'none' },
    robustPolicy('robust, mean imputation', { imputation: 'mean' }),
    renamed('no genotype', 'no-z'),
    renamed('mean imputation', 'mean-imputation'),
    renamed('zero fill', 'zero-fill'),
    renamed('complete cases', 'complete-case'),
    renamed('LinUCB, mean imputation', 'linucb:mean'),
    'uniform',
  ],
}

function renamed(name: string, known: string): Policy {
  return { ...policyByName(known, { actions: doseClasses.length, covariates: ['genotype'], interactions: [] }), name }
}

/** Shares of right choices, 1 - regret/rounds: of all rounds, of the last quarter, and of sixteenths. */
const PARTS = 16

function sharesOf(figures: Figures, rounds: number): Figures {
  const every = Math.floor(rounds / PARTS)
  const regret = (round: number) => (round === 0 ? 0 : (figures[`regret ${round}`] ?? figures.regret!))
  const share = (from: number, to: number) => 1 - (regret(to) - regret(from)) / (to - from)
  const parts = Array.from({ length: PARTS }, (_, k) => [`part ${k + 1}`, share(k * every, (k + 1) * every)])
  return { all: share(0, rounds), last: share((3 * PARTS * every) / 4, rounds), ...Object.fromEntries(parts) }
}

/** The same order of patients for all policies. */
export function replay({ table, spec }: { readonly table: Table; readonly spec: TableSpec }, seed: number): Cell {
  const every = Math.floor(table.rows / PARTS)
  const marks = Array.from({ length: PARTS }, (_, k) => (k + 1) * every)
  const cells = Object.entries(POLICIES).map(([prediction, policies]) => {
    const own = prediction === 'none' ? spec : { ...spec, prediction }
    const { problem, blocks } = tableWorld(table, { ...own, means: spec.rewards! })
    return play({ environment: { problem, interactions: [] }, blocks: [...blocks], policies, seed, marks })
  })
  const figures = Object.entries(Object.assign({}, ...cells) as Cell)
  return Object.fromEntries(figures.map(([name, own]) => [name, sharesOf(own, table.rows)]))
}

/** What the regression reads. */
function clinical({ age, height, weight, race, inducer, amiodarone }: Patient): number[] {
  const races = (['Asian', 'Black', 'other'] as const).map((one) => Number(race === one))
  return [age, height / 100, weight / 100, ...races, Number(inducer), Number(amiodarone)]
}

/** The patients in the order of a seed without its first part, with both predictions and the rewards of the classes. */
export function warfarinTable(patients: readonly Patient[], seed: number, convention: Convention) {
  const order = Random.fromSeed(seed).split('warfarin').permutation(patients.length)
  const ordered = Array.from(order, (k) => patients[k]!)
  const cut = Math.floor(FIRST_PART * ordered.length)
  const first = ordered.slice(0, cut).filter(({ alleles }) => alleles !== null)
  const predict = fitPredictor(
    first.map(clinical),
    first.map(({ alleles }) => alleles! / 2),
  )
  const decided = ordered.slice(cut)
  const inside = (value: number) => Math.min(1, Math.max(0, value))
  const regression = decided.map((patient) => inside(predict(clinical(patient))))
  const column = (of: (patient: Patient, k: number) => number) => Float64Array.from(decided, of)
  const rewards = Object.fromEntries(
    doseClasses.map((name, action) => [name, column(({ dose }) => Number(doseClass(dose, convention) === action))]),
  )
  const range = (of: (patient: Patient) => number): readonly [number, number] => {
    const values = patients.map(of)
    return [Math.min(...values), Math.max(...values)]
  }
  const table = memoryTable('warfarin', {
    age: column(({ age }) => age),
    height: column(({ height }) => height),
    weight: column(({ weight }) => weight),
    race: decided.map(({ race }) => race),
    inducer: column(({ inducer }) => Number(inducer)),
    amiodarone: column(({ amiodarone }) => Number(amiodarone)),
    genotype: column(({ alleles }) => (alleles === null ? Number.NaN : alleles / 2)),
    regression: Float64Array.from(regression),
    linked: column(({ linked }, k) => (linked === null ? regression[k]! : linked / 2)),
    ...rewards,
  })
  const spec: TableSpec = {
    context: ['age', 'height', 'weight', 'race', 'inducer', 'amiodarone'],
    covariate: 'genotype',
    rewards: doseClasses,
    rewardRange: [0, 1],
    ranges: {
      age: range(({ age }) => age),
      height: range(({ height }) => height),
      weight: range(({ weight }) => weight),
      genotype: [0, 1],
    },
    features: {
      race: { type: 'category', levels: ['Asian', 'Black', 'White', 'other'] },
      inducer: { type: 'number', min: 0, max: 1 },
      amiodarone: { type: 'number', min: 0, max: 1 },
    },
  }
  return { table, spec, decided }
}

const SIXTEENTHS = Array.from({ length: PARTS }, (_, k) => k + 1)

/** '64.3% ± 0.2%'. */
function shareText(values: readonly number[]): string {
  const { mean, standardError } = summarise(values)
  return `${percent(mean, 2)} ± ${percent(standardError, 2)}`
}

function gain(place: Place, figure: string, other: string): readonly number[] {
  return paired([place.values(figure), place.values(figure, other)], (a, b) => a - b)
}

function shareTable(found: Found, other: string): StudyTable {
  const less = (figure: string) => (place: Place) => (place.arm === other ? '-' : shareText(gain(place, figure, other)))
  return table('Share of patients in the right class (i), means over orders', found.places(), [
    arm,
    column('all rounds', (place) => shareText(place.values('all'))),
    column('last quarter', (place) => shareText(place.values('last'))),
    column(`less ${other}, all`, less('all')),
    column(`less ${other}, last quarter`, less('last')),
  ])
}

/** In the last quarter, by an interval above zero. */
function rightMoreOften(place: Place, other: string): Verdict {
  const gains = gain(place, 'last', other)
  const { mean, standardError } = summarise(gains)
  return {
    held: mean - 1.96 * standardError > 0,
    sentence: `In the last quarter ${place.arm} is right more often than ${other}: by ${shareText(gains)}.`,
  }
}

let patients: readonly Patient[] | undefined

function cohort(): readonly Patient[] {
  patients ??= filled(readPatients(dataFile(TABLE)!))
  return patients
}

export const warfarin = defineStudy({
  name: 'warfarin',
  title: 'Warfarin dosing with a genotype that is often missing',
  claim:
    'On 5,528 real patients the published equations give their known shares, and a learner that imputes the genotype from linked markers ends up right more often than one without genotypes.',
  // Repeats are orders of the patients.
  full: { repeats: 20 },
  quick: { repeats: 3 },
  absent: () => firstAbsent(TABLE),
  worlds: () => [{ name: 'warfarin' }],
  measure: (_world, { seed }) => {
    const { table: rows, spec, decided } = warfarinTable(cohort(), seed, 'i')
    // The same patients as the policies decided, so that differences are paired.
    const last = decided.slice((3 * PARTS * Math.floor(decided.length / PARTS)) / 4)
    const published = references.map(({ name, dose }) => [
      name,
      { all: shareRight(decided, dose, 'i'), last: shareRight(last, dose, 'i') },
    ])
    return { ...replay({ table: rows, spec }, seed), ...Object.fromEntries(published) }
  },
  tables: (found) => [
    {
      title: 'References on all patients, share in the right class',
      header: ['policy', '(i) below 21, 21-49, above 49', '(ii) up to 21, between, from 49'],
      rows: references.map(({ name, dose }) => [
        name,
        ...(['i', 'ii'] as const).map((convention) => percent(shareRight(cohort(), dose, convention))),
      ]),
    },
    ...['primo', 'robust, no genotype'].map((other) => shareTable(found, other)),
  ],
  plots: (found) => [
    {
      title: 'Share of right dose classes while learning',
      xLabel: 'sixteenths of the decisions',
      yLabel: 'share right',
      close: true,
      series: found
        .places(['primo', 'primo-cal', 'robust', 'robust, linked markers', 'robust, no genotype', 'mean imputation'])
        .map((place) => ({
          name: place.arm,
          points: bandPoints(
            SIXTEENTHS,
            SIXTEENTHS.map((part) => place.mean(`part ${part}`)),
          ),
        })),
    },
  ],
  verdicts: (found) => [
    ...references.flatMap(({ name, dose, published }) => {
      if (published === undefined) return []
      const share = 100 * shareRight(cohort(), dose, 'i')
      return [
        {
          held: Math.abs(share - published) <= 0.3,
          sentence: `${name}: ${formatFixed(share, 2)}% in the right class (reference ${published}, within 0.3).`,
        },
      ]
    }),
    ...['robust, no genotype', 'fixed 5 mg/day'].map((other) =>
      rightMoreOften(found.place('warfarin', 'robust, linked markers'), other),
    ),
  ],
})
