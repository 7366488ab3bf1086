// Warfarin dosing on the IWPC cohort: the dose class as action, clinical values as context, the VKORC1 genotype as the
// covariate that is really missing for a quarter of the patients. Two pre-trained models: a clinical regression fitted on the
// first part of each order (those patients are not decided), and what linked markers say, with the regression where they are
// silent. Published dosing equations as references; they were fitted on part of these patients and are optimistic.

import { formatFixed } from '@primo/lab'
import type { TableSpec } from '@primo/lab/node'
import { memoryTable } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { defineStudy } from '../runner/run-study.js'
import { percent } from '../runner/verdicts.js'
import { fitPredictor } from './linear-predictor.js'
import { dataFile, firstAbsent } from './study-data.js'
import { PARTS, type ReplayPolicy, replay, replayPlot, replayTable, rightMoreOften } from './table-replays.js'
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

const policies: readonly ReplayPolicy[] = [
  { name: 'primo', policy: 'primo', prediction: 'regression' },
  { name: 'primo-cal', policy: 'primo-cal', prediction: 'regression' },
  { name: 'robust', policy: 'robust', prediction: 'regression' },
  { name: 'primo, linked markers', policy: 'primo', prediction: 'linked' },
  { name: 'primo-cal, linked markers', policy: 'primo-cal', prediction: 'linked' },
  { name: 'robust, linked markers', policy: 'robust', prediction: 'linked' },
  { name: 'robust, no genotype', policy: { options: { profile: 'robust' }, sees: 'none' } },
  { name: 'robust, mean imputation', policy: { options: { profile: 'robust', imputation: 'mean' }, sees: 'world' } },
  { name: 'no genotype', policy: 'no-z' },
  { name: 'mean imputation', policy: 'mean-imputation' },
  { name: 'zero fill', policy: 'zero-fill' },
  { name: 'complete cases', policy: 'complete-case' },
  { name: 'missing indicator', policy: 'indicator', prediction: 'regression' },
  { name: 'LinUCB, mean imputation', policy: 'linucb:mean' },
  { name: 'LinUCB, linked markers', policy: 'linucb:pretrained', prediction: 'linked' },
  { name: 'uniform', policy: 'uniform' },
]

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
    const { table, spec, decided } = warfarinTable(cohort(), seed, 'i')
    // The same patients as the policies decided, so that differences are paired.
    const last = decided.slice((3 * PARTS * Math.floor(decided.length / PARTS)) / 4)
    const published = references.map(({ name, dose }) => [
      name,
      { all: shareRight(decided, dose, 'i'), last: shareRight(last, dose, 'i') },
    ])
    return { ...replay(policies, { table, spec }, seed), ...Object.fromEntries(published) }
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
    replayTable('Share of patients in the right class (i), means over orders', found, 'primo'),
    replayTable('The same against no genotype at all', found, 'robust, no genotype'),
  ],
  plots: (found) => [
    replayPlot('Share of right dose classes while learning', found, [
      'primo',
      'primo-cal',
      'robust',
      'robust, linked markers',
      'robust, no genotype',
      'mean imputation',
    ]),
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
