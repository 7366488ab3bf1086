// The kind 'trained' of an imputer: the model itself, or in the service the file it is in. What is checked here keeps a hand-made
// model from reading beside its lists or walking in a circle.

import { PrimoError, show } from '@primo/numeric'
import type { UsableModel } from '../regression/usable-fit.js'
import { type Feature, featureLevels } from './feature.js'
import { type ModelFile, type TrainedModel, trainedFingerprint, trainedWidth } from './trained-model.js'

/** A model that `primo train` fitted. */
export interface TrainedImputer {
  readonly kind: 'trained'
  readonly model: TrainedModel
  readonly version?: string
}

/**
 * The imputer of a covariate from the JSON that `primo train` wrote.
 * @example
 * covariates: { genotype: { ...number({ min: 0, max: 2 }), imputer: trained(JSON.parse(text), 'genotype') } }
 */
export function trained(
  file: ModelFile,
  covariate?: string,
  options: { readonly version?: string } = {},
): TrainedImputer {
  if (file?.format !== 'primo-model' || !Array.isArray(file.models))
    bad('model', 'what `primo train` wrote (format "primo-model")', file?.format)
  if (file.formatVersion !== 1) bad('model.formatVersion', '1, the format of this version of Primo', file.formatVersion)
  const names = file.models.map((model) => model.covariate)
  const only = file.models.length === 1 && covariate === undefined
  const model = only ? file.models[0] : file.models.find((one) => one.covariate === covariate)
  if (model === undefined) bad('covariate', `one that the file has a model of (${names.join(', ')})`, covariate)
  return options.version === undefined
    ? { kind: 'trained', model }
    : { kind: 'trained', model, version: options.version }
}

const CLASSES = ['constant', 'linear', 'spline', 'kernel', 'trees', 'network']

/** Throws `invalid-problem` where it cannot be a model. */
export function checkTrainedImputer(field: string, given: Partial<Record<string, unknown>>): void {
  const model = given.model as Partial<TrainedModel> | undefined
  if (typeof model !== 'object' || model === null) bad(`${field}.model`, 'a model that `primo train` fitted', model)
  const { target, features, columns, scores, link, spread } = model
  if (target?.type !== 'number' && target?.type !== 'boolean' && target?.type !== 'category')
    bad(`${field}.model.target`, 'of type number, boolean or category', target)
  if (!Array.isArray(features)) bad(`${field}.model.features`, 'a list', features)
  if (columns !== 'native' && columns !== 'indicators')
    bad(`${field}.model.columns`, '"native" or "indicators"', columns)
  const count = target.type === 'category' ? target.levels?.length : 1
  if (!Array.isArray(scores) || scores.length !== count) bad(`${field}.model.scores`, `a list of ${count}`, scores)
  if (!Array.isArray(link?.offsets) || link.offsets.length !== count)
    bad(`${field}.model.link`, `of ${count} offsets`, link)
  if (target.type === 'number' && !(Array.isArray(spread?.sd) && spread.sd.length === spread.cuts?.length + 1))
    bad(`${field}.model.spread`, 'given for a number', spread)
  const width = trainedWidth(features, columns)
  ;(scores as UsableModel[]).forEach((score, k) => {
    checkScore(`${field}.model.scores[${k}]`, score, width)
  })
  const { fingerprint, ...rest } = model as TrainedModel
  if (fingerprint !== trainedFingerprint(rest))
    bad(`${field}.model.fingerprint`, 'that of the model (it was changed after it was trained)', fingerprint)
}

function checkScore(field: string, { columns: read, model }: UsableModel, width: number): void {
  if (!Array.isArray(read) || read.some((column) => !(Number.isInteger(column) && column >= 0 && column < width)))
    bad(`${field}.columns`, `columns among ${width}`, read)
  if (!CLASSES.includes(model?.kind)) bad(`${field}.model.kind`, `one of ${CLASSES.join(', ')}`, model?.kind)
  if (model.kind !== 'constant' && (!('columns' in model) || model.columns !== read.length))
    bad(`${field}.model.columns`, String(read.length), 'columns' in model ? model.columns : undefined)
  if (model.kind !== 'trees') return
  const { feature, value, left, missingLeft, roots, columns } = model
  const nodes = feature.length
  if ([value, left, missingLeft].some((list) => list.length !== nodes) || roots.some((root) => !(root < nodes)))
    bad(`${field}.model`, 'trees with lists of one length', nodes)
  feature.forEach((column, node) => {
    if (column < 0) return
    const next = left[node]!
    if (!(column < columns && next > node && next + 1 < nodes))
      bad(`${field}.model.left[${node}]`, 'a later node', next)
  })
}

/** The context must have what the model reads, of the same type; a level that it never saw counts as missing. */
export function checkTrainedContext(field: string, model: TrainedModel, context: Readonly<Record<string, Feature>>) {
  for (const { name, type } of model.features) {
    const own = Object.hasOwn(context, name) ? context[name] : undefined
    if (own === undefined)
      bad(`${field}.model.features`, `features of the context (${Object.keys(context).join(', ')})`, name)
    if (own.type !== type) bad(`context.${name}.type`, `"${type}", as the trained model reads it`, own.type)
  }
}

/** Why its predictions cannot be values of the covariate; null: they can. */
export function trainedMisfit({ target }: TrainedModel, feature: Feature): string | null {
  if (target.type !== feature.type) return `predicts a ${target.type}`
  if (target.type === 'number' && feature.type === 'number')
    return target.min >= feature.min && target.max <= feature.max
      ? null
      : `predicts ${target.min} to ${target.max}, outside ${feature.min} to ${feature.max}`
  if (target.type !== 'category' || feature.type !== 'category') return null
  const known = featureLevels(feature)
  const unknown = target.levels.find((level) => !known.includes(level))
  return unknown === undefined ? null : `predicts the unknown level ${show(unknown)}`
}

function bad(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-problem', `${field} must be ${rule}, got ${show(value)}`, { field, value })
}
