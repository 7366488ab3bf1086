// Asks the models of a problem before its decisions, all at once and each within its budget: for missing covariates and, where
// calibration compares the two, for observed ones. The engine takes the answers as the request's predictions.

import type { DecisionBody, ProblemDefinition } from '@primo/contract'
import type { Prediction } from '@primo/core'
import type { AskedAside, MemberPredictions, ModelNote } from '@primo/core/engine'
import type { Span } from '../tracing/tracer.js'
import type { Answer, BoundedModel } from './bounded-model.js'

export interface ImputerStage {
  readonly predict: (requests: readonly DecisionBody[], span?: Span | null) => Promise<readonly (AskedAside | null)[]>
  /** The same for requests that are only tried. */
  readonly predictTries: ImputerStage['predict']
}

interface StagePart {
  readonly covariate: string
  /** null: the covariate has one model. */
  readonly member: string | null
  /** Only a number has a spread that the engine knows to use. */
  readonly isNumber: boolean
  readonly model: BoundedModel
  readonly forTries: () => BoundedModel
}

export function createStage(
  context: ProblemDefinition['context'],
  parts: readonly StagePart[],
  asksObserved: boolean,
): ImputerStage {
  const entries = Object.entries(context)
  const defaults = Object.fromEntries(
    entries.flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])),
  )
  const isPlain = Object.keys(defaults).length === 0

  /** Models do not see a context that the engine refuses: they would count it as a failure. */
  function isContext(values: DecisionBody['context']): boolean {
    return entries.every(([name, feature]) => {
      const value = values[name]
      if (feature.type === 'number')
        return (
          typeof value === 'number' && (feature.outside === 'clip' || (value >= feature.min && value <= feature.max))
        )
      if (feature.type === 'boolean') return typeof value === 'boolean'
      return typeof value === 'string' && (feature.other === true || feature.levels.includes(value))
    })
  }

  async function predictOne(
    request: DecisionBody,
    span: Span | null,
    modelOf: (part: StagePart) => BoundedModel,
  ): Promise<AskedAside | null> {
    const seen = isPlain ? request.context : { ...defaults, ...request.context }
    if (!isContext(seen)) return null
    const asked = parts.filter(({ covariate }) => {
      if (request.predictions !== undefined && Object.hasOwn(request.predictions, covariate)) return false
      return asksObserved || (request.covariates?.[covariate] ?? null) === null
    })
    const answers = await Promise.all(asked.map((part) => modelOf(part).ask(seen, span)))
    const byCovariate = new Map<string, Asked[]>()
    asked.forEach(({ covariate, member, isNumber }, k) => {
      const list = byCovariate.get(covariate) ?? []
      byCovariate.set(covariate, list)
      list.push({ member, isNumber, answer: answers[k]! })
    })
    const predictions: Record<string, Prediction | MemberPredictions | null> = {}
    const notes: Record<string, ModelNote> = {}
    for (const [covariate, list] of byCovariate) {
      const said = list.map((one) => [one.member, predictionOf(one)] as const)
      predictions[covariate] =
        said[0]![0] === null ? said[0]![1] : { members: Object.fromEntries(said as [string, Prediction | null][]) }
      notes[covariate] = noteOf(list)
    }
    return { predictions, notes }
  }

  const predictBy =
    (modelOf: (part: StagePart) => BoundedModel): ImputerStage['predict'] =>
    (requests, span = null) =>
      Promise.all(requests.map((request) => predictOne(request, span, modelOf)))
  return { predict: predictBy(({ model }) => model), predictTries: predictBy(({ forTries }) => forTries()) }
}

type Asked = Pick<StagePart, 'member' | 'isNumber'> & { readonly answer: Answer }

function noteOf(list: readonly Asked[]): ModelNote {
  const reasons = list.flatMap(({ member, answer }) => {
    const reason = 'failure' in answer ? answer.failure : answer.reason
    return reason === undefined ? [] : [member === null ? reason : `${member}: ${reason}`]
  })
  const source = list.some(({ answer }) => !('failure' in answer) && answer.from === 'model')
    ? 'pretrained'
    : list.some(({ answer }) => !('failure' in answer))
      ? 'cache'
      : 'constant'
  const [only] = list
  const sd = list.length === 1 && !('failure' in only!.answer) ? only!.answer.sd : undefined
  return {
    source,
    ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
    ...(sd === undefined ? {} : { sd }),
  }
}

/** A number with how sure the model is, where it says so; null: it failed. */
function predictionOf({ isNumber, answer }: Asked): Prediction | null {
  if ('failure' in answer) return null
  const { prediction, sd } = answer
  return sd === undefined || !isNumber ? prediction : { value: prediction as number, sd }
}
