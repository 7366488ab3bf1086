// Writes the rounds of an environment as a table in the user's units: context, the true covariate in every row, observed
// (0/1), prediction, r0 ..., mu0 .... Read back with the spec that is returned, the blocks are the same to the bit wherever
// a double in the user's units exists for the value inside; the others are counted.

import type { Feature, RewardSpec } from '@primo/core'
import { encodingOf } from '@primo/core/engine'
import { BLOCK_ROUNDS, PrimoError } from '@primo/numeric'
import type { Environment, WorldBlock } from '../environments/environment.js'
import { levelsOf } from './encode-column.js'
import { type Cells, openSink, type SinkColumn } from './table-sink.js'
import { checkTableSpec, type Range, type TableSpec } from './table-spec.js'
import { exactValue, numberUnit, rewardUnit, sameUnit, type Unit } from './user-units.js'

export interface WriteWorldOptions {
  readonly file: string
  readonly seed: number
  readonly rounds: number
}

export interface WrittenWorld {
  readonly rounds: number
  /** Reads the file back as this world. */
  readonly spec: TableSpec
  /** Values for which no double in the user's units reads back to the same bits; the nearest one was written. */
  readonly inexact: number
}

/** A column of the file and the cells that a block of rounds gives it. */
interface WorldColumn {
  readonly column: SinkColumn
  readonly cells: (block: WorldBlock) => Cells
}

type Source = (block: WorldBlock) => Float64Array

/** Writes the rounds of an environment as a table in the user's units. */
export async function writeWorld(environment: Environment, options: WriteWorldOptions): Promise<WrittenWorld> {
  const { file, seed, rounds } = options
  if (!Number.isSafeInteger(rounds) || rounds < 1) refuse('rounds', 'a whole number >= 1', rounds)
  const { context, covariates } = encodingOf(environment.problem)
  if (covariates.length !== 1) refuse('environment', 'a problem with one covariate', covariates.length)
  const tally = { inexact: 0 }
  const { columns, spec } = layOut(environment, tally)
  checkTableSpec(spec)
  checkNames(
    columns.map(({ column }) => column.name),
    context.length,
  )
  const sink = openSink(
    file,
    columns.map(({ column }) => column),
  )
  try {
    for (let first = 0; first < rounds; first += BLOCK_ROUNDS) {
      const block = environment.block(seed, first / BLOCK_ROUNDS, Math.min(BLOCK_ROUNDS, rounds - first))
      sink.write(columns.map(({ cells }) => cells(block)))
    }
  } catch (error) {
    sink.abandon()
    throw error
  }
  await sink.close()
  return { rounds, spec, inexact: tally.inexact }
}

function layOut(environment: Environment, tally: { inexact: number }) {
  const { problem, interactions } = environment
  const encoding = encodingOf(problem)
  const { contextWidth, covariateWidth, actions } = encoding
  const covariate = encoding.covariates[0]!
  const { imputer: _imputer, reveals: _reveals, audit: _audit, price: _price, ...covariateFeature } = covariate.feature
  const hasMeans = environment.block(0, 0, 1).means !== null
  const columns: WorldColumn[] = []
  for (const { name, feature, at } of encoding.context) {
    columns.push(featureColumn(name, feature, (block) => block.context, contextWidth, at, tally))
  }
  columns.push(featureColumn(covariate.name, covariateFeature, (block) => block.truth, covariateWidth, 0, tally))
  columns.push({
    column: { name: 'observed', kind: 'integer' },
    cells: (block) => Float64Array.from(block.observed.subarray(0, block.count)),
  })
  const predictions =
    covariateFeature.type === 'category'
      ? levelsOf(covariateFeature).map((level) => `prediction=${level}`)
      : ['prediction']
  const unit = covariateFeature.type === 'number' ? numberUnit(covariateFeature) : sameUnit
  predictions.forEach((name, k) => {
    columns.push(numbers(name, unit, (block) => block.pretrained, covariateWidth, k, tally))
  })
  const rewardRange = rangeOfMean(problem.reward)
  const scale = rewardUnit(rewardRange.min, rewardRange.max)
  const rewards = actions.map((_, action) => `r${action}`)
  const means = actions.map((_, action) => `mu${action}`)
  rewards.forEach((name, action) => {
    columns.push(numbers(name, scale, (block) => block.rewards, actions.length, action, tally))
  })
  if (hasMeans) {
    means.forEach((name, action) => {
      columns.push(numbers(name, scale, (block) => block.means!, actions.length, action, tally))
    })
  }
  const spec: TableSpec = {
    context: encoding.context.map(({ name }) => name),
    covariate: covariate.name,
    observed: 'observed',
    prediction: 'prediction',
    rewards,
    ...(hasMeans ? { means } : {}),
    rewardRange: [problem.reward.min, problem.reward.max],
    meanRange: [rewardRange.min, rewardRange.max],
    ...declarations({ ...problem.context, [covariate.name]: covariateFeature }),
    interactions,
  }
  return { columns, spec }
}

/** Numbers by their range alone, as the command line can say it; other features in full. */
function declarations(all: Readonly<Record<string, Feature>>): Pick<TableSpec, 'ranges' | 'features'> {
  const ranges: Record<string, Range> = {}
  const features: Record<string, Feature> = {}
  for (const [name, feature] of Object.entries(all)) {
    if (feature.type === 'number') ranges[name] = [feature.min, feature.max]
    else features[name] = feature
  }
  return Object.keys(features).length === 0 ? { ranges } : { ranges, features }
}

function rangeOfMean(reward: RewardSpec): { readonly min: number; readonly max: number } {
  return reward.mean ?? reward
}

function featureColumn(
  name: string,
  feature: Feature,
  source: Source,
  width: number,
  at: number,
  tally: { inexact: number },
): WorldColumn {
  if (feature.type !== 'category') {
    return numbers(name, feature.type === 'number' ? numberUnit(feature) : sameUnit, source, width, at, tally)
  }
  const levels = levelsOf(feature)
  return {
    column: { name, kind: 'text' },
    cells: (block) => {
      const values = source(block)
      return Array.from({ length: block.count }, (_, row) => {
        const from = row * width + at
        return levels[values.subarray(from, from + levels.length).indexOf(1)] ?? null
      })
    },
  }
}

function numbers(
  name: string,
  unit: Unit,
  source: Source,
  width: number,
  at: number,
  tally: { inexact: number },
): WorldColumn {
  return {
    column: { name, kind: 'number' },
    cells: (block) => {
      const values = source(block)
      return Float64Array.from({ length: block.count }, (_, row) => {
        const inside = values[row * width + at]!
        const value = exactValue(unit, inside)
        if (!Object.is(unit.toInside(value), inside)) tally.inexact++
        return value
      })
    },
  }
}

function checkNames(names: readonly string[], contexts: number): void {
  names.forEach((name, k) => {
    if (names.indexOf(name) < k) refuse(k > contexts ? 'context' : 'covariate', `named other than "${name}"`, name)
  })
}

function refuse(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-option', `${field} must be ${rule}, got ${String(value)}`, { field, value })
}
