// Laws of an environment: declared ranges, and a stream of rounds that is a function of the seed alone.

import { checkProblem } from '@primo/core'
import { encodingOf } from '@primo/core/engine'
import type { Environment, WorldBlock } from '../environments/environment.js'
import { summarise } from '../statistics/summarise.js'
import { firstDifference, keep } from './law.js'

const COUNT = 1000
/** A sound environment is refused for chance once in 15,000 actions. */
const ERRORS = 4

/** Runs the laws of an environment on yours; throws an error whose sentence names the first law that is broken. */
export function checkEnvironment(environment: Environment): void {
  const { problem, name } = environment
  const who = `environment "${name}"`
  checkProblem(problem)
  keep(who, 'have a name', typeof name === 'string' && name !== '', name)
  const known = [...Object.keys(problem.context), ...Object.keys(problem.covariates)]
  const unknown = environment.interactions.flat().find((feature) => !known.includes(feature))
  keep(who, 'have interactions of its own features', unknown === undefined, unknown)
  const block = environment.block(12, 2, COUNT)
  checkColumns(who, environment, block)
  checkRewards(who, environment, block)
  const forwards = [0, 1, 2].map((index) => environment.block(9, index, 300))
  const backwards = [2, 1, 0].map((index) => environment.block(9, index, 300)).reverse()
  forwards.forEach((one, index) => {
    keep(
      who,
      'give the same rounds whichever block is made first',
      same(one, backwards[index]!),
      `another block ${index}`,
    )
  })
  const start = environment.block(9, 0, 100)
  keep(
    who,
    'begin a shorter block with the same rounds',
    firstDifference(start.rewards, forwards[0]!.rewards.subarray(0, start.rewards.length)) < 0,
    'other rewards',
  )
  const other = environment.block(10, 0, 300)
  keep(who, 'give other rounds for another seed', !same(other, forwards[0]!), 'the same rounds')
}

function same(a: WorldBlock, b: WorldBlock): boolean {
  const columns = ['context', 'truth', 'observed', 'pretrained', 'rewards', 'means', 'floor', 'delay'] as const
  return columns.every((column) => firstDifference(a[column] ?? [], b[column] ?? []) < 0)
}

function checkColumns(who: string, { problem }: Environment, block: WorldBlock): void {
  const { contextWidth, covariateWidth, covariates, context } = encodingOf(problem)
  const lengths = {
    context: contextWidth,
    truth: covariateWidth,
    pretrained: covariateWidth,
    observed: covariates.length,
    rewards: problem.actions.length,
  }
  for (const [column, width] of Object.entries(lengths)) {
    const { length } = block[column as keyof typeof lengths]
    keep(who, `have ${width} numbers per round in ${column}`, length === COUNT * width, length / COUNT)
  }
  const seen = block.observed.find((flag) => flag > 1)
  keep(who, 'say 0 or 1 of what is observed', seen === undefined, seen)
  const check = (values: Float64Array, width: number, parts: typeof context, missing: boolean) => {
    for (const { name, feature, at, width: columns } of parts)
      for (let row = 0; row < COUNT; row++) {
        const own = values.subarray(row * width + at, row * width + at + columns)
        const least = feature.type === 'number' ? -1 : 0
        const good = own.every((value) => (missing && Number.isNaN(value)) || (value >= least && value <= 1))
        keep(who, `keep ${name} in its range`, good, own.join(', '))
      }
  }
  check(block.context, contextWidth, context, false)
  check(block.truth, covariateWidth, covariates, false)
  check(block.pretrained, covariateWidth, covariates, true)
}

function checkRewards(who: string, { problem }: Environment, { means, rewards }: WorldBlock): void {
  const { reward, actions } = problem
  const range = reward.mean ?? reward
  const inside = (value: number) => (value - range.min) / (range.max - range.min)
  const wrong = rewards.find((value) => !(value >= inside(reward.min) - 1e-9 && value <= inside(reward.max) + 1e-9))
  keep(who, 'give rewards in the range of the problem', wrong === undefined, wrong)
  if (means === null) return
  const off = means.find((value) => !(value >= -1e-9 && value <= 1 + 1e-9))
  keep(who, 'have mean rewards in the range of the problem', off === undefined, off)
  actions.forEach((action, a) => {
    const errors = Array.from(
      { length: COUNT },
      (_, row) => rewards[row * actions.length + a]! - means[row * actions.length + a]!,
    )
    const { mean, standardError } = summarise(errors)
    const far = Math.abs(mean) > ERRORS * standardError + 1e-12
    keep(
      who,
      `give rewards around their means for ${action}`,
      !far,
      `${mean} from it with standard error ${standardError}`,
    )
  })
}
