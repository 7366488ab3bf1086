// What was learnt, out of a snapshot: models of covariates and rewards are checked in number and shape, and that they compile.

import { type ClassCorrection, classAdder } from '../calibration/class-correction.js'
import { correctionBasis, isCorrectionClass } from '../calibration/correction-basis.js'
import { correctionCompiler, type Engine } from '../engine/engine.js'
import { engineInColumns } from '../engine/engine-in-columns.js'
import { deepFreeze, type EpochState } from '../engine/epoch-state.js'
import { type Design, designColumns } from '../oracle/design.js'
import type { Oracle, RewardModel } from '../oracle/oracle.js'
import type { Columns } from '../problem/columns.js'
import type { Encoding } from '../problem/encoding.js'
import { checkFeature } from '../problem/feature.js'
import { growthOf } from '../problem/growth.js'
import { areStreams, isHierarchical, isImputer } from './restore-default.js'
import type { Snapshot } from './snapshot.js'
import { invalid, isCount, isFiniteData, isMatrix, isRecord } from './snapshot-checks.js'

/** As a frozen copy: the caller keeps its own. */
export function restoreState(snapshot: Snapshot, now: Engine): EpochState {
  const state = JSON.parse(JSON.stringify(snapshot.state)) as EpochState
  const { columns } = state
  if (columns !== undefined && !areColumns(columns, now))
    throw invalid('state.columns', 'columns that the problem has grown from', columns)
  const engine = columns === undefined ? now : engineInColumns(now, columns)
  for (const field of ['epoch', 'start', 'version', 'rows', 'rowsBefore', 'imputationVersion'] as const) {
    const least = field === 'epoch' ? 1 : 0
    const value: unknown = state[field]
    if (!isCount(value) || value < least) throw invalid(`state.${field}`, `a whole number >= ${least}`, value)
  }
  if (state.start > snapshot.rounds.count)
    throw invalid('state.start', `at most the ${snapshot.rounds.count} rounds`, state.start)
  if (!(Number.isFinite(state.gamma) && state.gamma >= 0)) throw invalid('state.gamma', '>= 0', state.gamma)
  if (!Array.isArray(state.reports)) throw invalid('state.reports', 'a list', state.reports)
  const { covariates } = engine.encoding
  if (!Array.isArray(state.corrections) || state.corrections.length !== covariates.length)
    throw invalid('state.corrections', `a list of ${covariates.length}`, state.corrections)
  state.corrections.forEach((model: unknown, which) => {
    const { name, width } = covariates[which]!
    if (model !== null && !isCovariateModel(model, width, engine))
      throw invalid('state.corrections', `null or a model of ${name} in finite numbers`, model)
  })
  const { ensembles, models } = state
  if (models !== undefined && !areModels(models, engine))
    throw invalid('state.models', 'the models of the covariates with the round they began at', models)
  if (ensembles !== undefined && !areWeights(ensembles, engine))
    throw invalid('state.ensembles', 'weights of the members of every ensemble', ensembles)
  const { asking } = state
  if (asking !== undefined && !(Array.isArray(asking) && asking.length === covariates.length && asking.every(isAsking)))
    throw invalid('state.asking', 'how every audit spends its budget', asking)
  const { oracle } = engine
  if (state.rewardModel !== null && !compiles(state.rewardModel, engine, oracle))
    throw invalid('state.rewardModel', `a ${engine.oracle.kind} model of the problem`, state.rewardModel)
  const { streams } = state
  if (streams !== undefined && !areStreams(streams, engine, snapshot.rounds.count))
    throw invalid('state.streams', 'memories of rewards and of every covariate in finite numbers', streams)
  if (engine.remembers !== null && (streams === undefined) !== (state.rewardModel === null))
    throw invalid('state.streams', 'given exactly where there is a reward model', streams)
  return deepFreeze(state)
}

function areColumns(given: unknown, { problem }: Engine): boolean {
  if (!isRecord(given) || !isRecord(given.context) || !isRecord(given.covariates)) return false
  for (const feature of [...Object.values(given.context), ...Object.values(given.covariates)])
    checkFeature('state.columns', feature)
  return growthOf(given as unknown as Columns, problem).obstacles.length === 0
}

function isCovariateModel(model: unknown, width: number, engine: Engine): boolean {
  const { encoding } = engine
  if (!isRecord(model)) return false
  if (model.kind === 'imputer') return isImputer(model, width, engine)
  if (model.kind === 'constant') return isMatrix([model.values], 1, width)
  if (model.kind === 'class-correction') return isClassCorrection(model, width, engine)
  const kind = model.class
  if (model.kind !== 'correction' || !isCorrectionClass(kind)) return false
  if (model.moments !== undefined && !isFiniteData(model.moments)) return false
  return isMatrix(model.coefficients, width, correctionBasis(kind, encoding.context).columns)
}

/** Fitted models of function classes are checked as data: finite numbers throughout, and that they compile. */
function isClassCorrection(model: Record<string, unknown>, width: number, engine: Engine): boolean {
  if (!isFiniteData(model) || !Array.isArray(model.parts) || model.parts.length !== width) return false
  try {
    classAdder(model as unknown as ClassCorrection, engine.encoding.context, correctionCompiler(engine))
    return true
  } catch {
    return false
  }
}

function areModels(given: unknown, { imputers }: Engine): boolean {
  if (!Array.isArray(given) || given.length !== imputers.length) return false
  return given.every((model) => isRecord(model) && typeof model.fingerprint === 'string' && isCount(model.since))
}

function areWeights(given: unknown, { ensembles }: Engine): boolean {
  if (!Array.isArray(given) || given.length !== ensembles.length) return false
  return ensembles.every((layout, which) =>
    layout === null
      ? given[which] === null
      : isMatrix([given[which]], 1, layout.names.length) && (given[which] as number[]).every((value) => value >= 0),
  )
}

function isAsking(given: unknown): boolean {
  if (given === null) return true
  if (!isRecord(given) || !(Number.isFinite(given.pace) && (given.pace as number) > 0)) return false
  const { worth } = given
  return worth === null || (isRecord(worth) && isMatrix([[worth.unit, worth.even]], 1, 2) && (worth.unit as number) > 0)
}

/** A linear model with as many coefficients as its design has columns, all of them of the problem. */
function hasColumns({ design, coefficients }: Record<string, unknown>, encoding: Encoding): boolean {
  const { contextWidth, covariateWidth } = encoding
  if (!isRecord(design) || !Array.isArray(design.products)) return false
  if (design.contextWidth !== contextWidth || design.covariateWidth !== covariateWidth) return false
  if (design.covariateCount !== encoding.covariates.length) return false
  const { products } = design
  const factors = contextWidth + covariateWidth
  const isColumn = (value: unknown) => isCount(value) && value < factors
  if (!products.every((product) => Array.isArray(product) && product.every(isColumn))) return false
  return isMatrix(coefficients, encoding.actions.length, designColumns(design as unknown as Design))
}

function compiles(model: unknown, engine: Engine, oracle: Oracle): boolean {
  const { encoding } = engine
  const actions = encoding.actions.length
  if (!isRecord(model) || model.kind !== oracle.kind) return false
  if (!isMatrix([model.degreesOfFreedom], 1, actions)) return false
  if (oracle.kind === 'linear' && !hasColumns(model, encoding)) return false
  if (oracle.kind === 'hierarchical') return isHierarchical(model, engine)
  if (oracle.kind !== 'linear' && !isFiniteData(model)) return false
  try {
    oracle.compile(model as unknown as RewardModel)
    return true
  } catch {
    return false
  }
}
