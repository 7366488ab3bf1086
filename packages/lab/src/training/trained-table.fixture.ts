// A drawn table with a number, a boolean and a category that are sometimes missing, one feature that is missing at times, and
// one that says nothing.

import { Random } from '@primo/numeric'
import { memoryTable } from '../tables/memory-table.js'
import type { Table } from '../tables/table.js'

export const FEATURES = ['age', 'town', 'dose', 'noise']

export function trainedTable(rows = 900, seed = 4): Table {
  const random = Random.fromSeed(seed)
  const towns = ['bonn', 'ulm', 'trier']
  const age = new Float64Array(rows)
  const dose = new Float64Array(rows)
  const noise = new Float64Array(rows)
  const level = new Float64Array(rows)
  const town: string[] = []
  const carrier: (string | null)[] = []
  const group: (string | null)[] = []
  for (let i = 0; i < rows; i++) {
    const place = random.integer(3)
    age[i] = 20 + Math.floor(60 * random.uniform())
    town.push(towns[place]!)
    const given = 2 * random.normal()
    dose[i] = random.uniform() < 0.2 ? Number.NaN : given
    noise[i] = random.normal()
    const index = 0.05 * (age[i]! - 50) + [0, 1, -1][place]! + Math.sin(given)
    level[i] = random.uniform() < 0.3 ? Number.NaN : 3 + index + 0.3 * random.normal()
    const odds = 1 / (1 + Math.exp(-2 * index))
    carrier.push(random.uniform() < 0.2 ? null : random.uniform() < odds ? 'yes' : 'no')
    group.push(random.uniform() < 0.1 ? null : index + 0.5 * random.normal() > 1 ? 'c' : given > 0 ? 'b' : 'a')
  }
  const truths = Float64Array.from(carrier, (value) => (value === null ? Number.NaN : value === 'yes' ? 1 : 0))
  return memoryTable('drawn', { age, town, dose, noise, level, carrier: truths, group })
}
