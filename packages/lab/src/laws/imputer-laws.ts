// Laws of an imputer, on 500 contexts drawn from the ranges of the problem.

import { type Context, checkProblem, type Feature, type FeatureValue, type Problem } from '@primo/core'
import { encodePrediction, encodingOf, predictWith } from '@primo/core/engine'
import { PrimoError, Random } from '@primo/numeric'
import { keep } from './law.js'

const CONTEXTS = 500

/**
 * Runs the laws of an imputer on those of your problem; throws an error whose sentence names the first law that is broken. Imputers whose
 * prediction comes with the request are left out.
 */
export function checkImputers(problem: Problem): void {
  const { covariates } = encodingOf(checkProblem(problem))
  const random = Random.fromSeed(19)
  const out = new Float64Array(Math.max(0, ...covariates.map(({ width }) => width)))
  for (let number = 0; number < CONTEXTS; number++) {
    const context = contextOf(problem, random)
    for (const { name, feature } of covariates) {
      const { imputer } = feature
      const members = imputer.kind === 'ensemble' ? Object.entries(imputer.members) : [[name, imputer] as const]
      for (const [member, model] of members) {
        if (model.kind === 'column') continue
        const who = `imputer of ${member === name ? name : `${name}.${member}`}`
        const before = JSON.stringify(context)
        const say = () => {
          try {
            return predictWith(model, problem.context, context, undefined)
          } catch (error) {
            throw new PrimoError('broken-law', `${who} must answer every context, got ${String(error)} for ${before}`)
          }
        }
        const said = say()
        const refused = encodePrediction({ feature }, said, out, 0)
        keep(who, 'predict values that the covariate can have', refused === null, `${refused} for ${before}`)
        keep(
          who,
          'predict the same for the same context',
          JSON.stringify(said) === JSON.stringify(say()),
          `two predictions for ${before}`,
        )
        keep(who, 'leave the context alone', JSON.stringify(context) === before, JSON.stringify(context))
      }
    }
  }
}

function contextOf(problem: Problem, random: Random): Context {
  return Object.fromEntries(
    Object.entries(problem.context).map(([name, feature]) => [name, drawValue(feature, random)]),
  )
}

function drawValue(feature: Feature, random: Random): FeatureValue {
  if (feature.type === 'number') return feature.min + (feature.max - feature.min) * random.uniform()
  if (feature.type === 'boolean') return random.uniform() < 0.5
  return feature.levels[random.integer(feature.levels.length)]!
}
