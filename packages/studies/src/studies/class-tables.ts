// Tables of the study of classes: the real ones, where they are there, and the drawn ones. A table in the order of a seed is a problem and
// blocks of rounds whose rewards are known for every action.

import type { Problem } from '@primo/core'
import { type WorldBlock, worldOf } from '@primo/lab'
import type { TableSpec } from '@primo/lab/node'
import { memoryTable, tableWorld } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { adultTable, readPeople } from './adult.js'
import { drawnTables } from './class-worlds.js'
import { type Customer, readCustomers } from './hillstrom.js'
import { fitPredictor } from './linear-predictor.js'
import { dataFile } from './study-data.js'
import { warfarinTable } from './warfarin.js'
import { filled } from './warfarin-doses.js'
import { readPatients } from './warfarin-patients.js'

export interface ClassTable {
  readonly name: string
  readonly world: (seed: number, rows: number) => { readonly problem: Problem; readonly blocks: Iterable<WorldBlock> }
}

const ARM = 'Mens E-Mail'
/** What a mail costs, in visits: about one customer in two is worth it. */
const COST = 0.18
const FIRST_PART = 1000

function features({ recency, history, mens, newbie, zip, channel }: Customer): number[] {
  const flags = [zip === 'Rural', channel === 'Web', channel === 'Multichannel'].map(Number)
  return [recency / 12, Math.log1p(history) / 9, mens, newbie, ...flags]
}
const NAMES = ['recency', 'history', 'mens', 'newbie', 'rural', 'web', 'multichannel']

/** Customers of one arm: a mail pays 1 for a visit, none pays its cost for sure. Whether womens' goods were bought is hidden from half. */
export function mailTable(customers: readonly Customer[], seed: number, rows: number) {
  const random = Random.fromSeed(seed).split('mail')
  const mailed = customers.filter(({ arm }) => arm === ARM)
  const ordered = Array.from(random.permutation(mailed.length), (k) => mailed[k]!)
  const cut = Math.min(FIRST_PART, Math.floor(ordered.length / 10))
  const first = ordered.slice(0, cut)
  const predict = fitPredictor(
    first.map(features),
    first.map(({ womens }) => womens),
  )
  const decided = ordered.slice(cut, cut + rows)
  const mask = random.split('mask')
  const column = (of: (one: Customer) => number) => Float64Array.from(decided, of)
  const table = memoryTable('mail', {
    ...Object.fromEntries(NAMES.map((name, k) => [name, column((one) => features(one)[k]!)])),
    womens: column(({ womens }) => womens),
    seen: column(() => Number(mask.uniform() < 0.5)),
    model: column((one) => Math.min(1, Math.max(0, predict(features(one))))),
    none: column(() => COST),
    mail: column(({ visit }) => visit),
  })
  const spec: TableSpec = {
    context: NAMES,
    covariate: 'womens',
    observed: 'seen',
    prediction: 'model',
    rewards: ['none', 'mail'],
    rewardRange: [0, 1],
    ranges: Object.fromEntries([...NAMES, 'womens'].map((name) => [name, [0, 1.2] as const])),
  }
  return { table, spec }
}

/** Every table that is there, and the names of those that are not. */
export function classTables(): { readonly tables: readonly ClassTable[]; readonly absent: readonly string[] } {
  const tables: ClassTable[] = drawnTables.map((environment) => ({
    name: environment.name,
    world: (seed, rows) => ({ problem: environment.problem, blocks: [...worldOf(environment, seed, rows)] }),
  }))
  const absent: string[] = []
  const add = (name: string, files: readonly string[], of: (found: readonly string[]) => ClassTable['world']) => {
    const found = files.map((file) => dataFile(file))
    if (found.includes(null)) absent.push(...files)
    else tables.push({ name, world: of(found as string[]) })
  }
  const worldIn = ({ table, spec }: ReturnType<typeof mailTable>, prediction: string) =>
    tableWorld(table, { ...spec, prediction, means: spec.rewards! })
  add('adult', ['adult/adult.data', 'adult/adult.test'], (files) => {
    const people = readPeople(files)
    return (seed, rows) => worldIn(adultTable(people, seed, rows), 'model')
  })
  add('hillstrom', ['hillstrom/hillstrom.csv'], ([file]) => {
    const customers = readCustomers(file!)
    return (seed, rows) => worldIn(mailTable(customers, seed, rows), 'model')
  })
  add('warfarin', ['warfarin/warfarin.csv'], ([file]) => {
    const patients = filled(readPatients(file!))
    return (seed) => worldIn(warfarinTable(patients, seed, 'i'), 'regression')
  })
  return { tables, absent }
}
