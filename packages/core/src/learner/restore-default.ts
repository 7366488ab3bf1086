// Checks of the default's models and memories in a snapshot: they are data of the problem, so that nothing fails when they decide or go on.

import type { Engine } from '../engine/engine.js'
import { columnCount, type ModelColumns } from '../model/columns.js'
import { isCount, isFiniteData, isMatrix, isRecord } from './snapshot-checks.js'

/** Finite numbers, one for each of so many. */
function isList(value: unknown, length: number): boolean {
  return isMatrix([value], 1, length)
}

function areUnits(given: unknown, inputs: number): boolean {
  const isUnit = (one: unknown) => isRecord(one) && Number.isFinite(one.centre) && Number.isFinite(one.scale)
  return Array.isArray(given) && given.length === inputs && given.every(isUnit)
}

function isModelColumns(given: unknown, inputs: number, covariates: number): given is ModelColumns {
  if (!isRecord(given) || !areUnits(given.units, inputs) || !Array.isArray(given.groups)) return false
  const isCovariate = (which: unknown) => which === undefined || (isCount(which) && which < covariates)
  const isTerm = (term: unknown) =>
    isRecord(term) &&
    Array.isArray(term.inputs) &&
    term.inputs.length <= 3 &&
    term.inputs.every((input) => isCount(input) && input < inputs) &&
    isCovariate(term.gate) &&
    isCovariate(term.spread) &&
    (term.minus === undefined || Number.isFinite(term.minus))
  return given.groups.every((group) => isRecord(group) && Array.isArray(group.terms) && group.terms.every(isTerm))
}

export function isHierarchical(model: Record<string, unknown>, { encoding }: Engine): boolean {
  const { contextWidth, covariateWidth, covariates, actions } = encoding
  const owners = covariates.flatMap(({ width }, which) => Array.from({ length: width }, () => which))
  if (model.contextWidth !== contextWidth || model.covariateWidth !== covariateWidth) return false
  if (JSON.stringify(model.owners) !== JSON.stringify(owners) || !isFiniteData(model)) return false
  if (!isModelColumns(model.columns, contextWidth + covariateWidth, covariates.length)) return false
  const columns = columnCount(model.columns)
  const count = actions.length
  const lists = [model.variances, model.skews, model.rows, model.degreesOfFreedom]
  return (
    lists.every((list) => isList(list, count)) &&
    isList([model.sigma, model.weight, model.clippedShare], 3) &&
    isMatrix(model.coefficients, count, columns) &&
    isMatrix(model.covariance, count, (columns * (columns + 1)) / 2)
  )
}

/** `width`: columns of its covariate. */
export function isImputer(model: Record<string, unknown>, width: number, { encoding }: Engine): boolean {
  if (!isList(model.moments, 3) || !Array.isArray(model.parts) || model.parts.length !== width) return false
  return model.parts.every(
    (part) =>
      isRecord(part) &&
      isModelColumns(part.columns, width + encoding.contextWidth, 1) &&
      isList(part.coefficients, columnCount(part.columns)) &&
      Number.isFinite(part.variance),
  )
}

function isStream(given: unknown, inputs: number, rounds: number, actions: number): boolean {
  if (!isRecord(given) || !isFiniteData(given) || !isCount(given.seen)) return false
  const { columns } = given
  if (!isRecord(columns) || !areUnits(columns.units, inputs) || !Array.isArray(columns.groups)) return false
  if (!isRecord(columns.prior) || !isRecord(columns.evidence) || !isCount(columns.round)) return false
  if (!Number.isFinite(columns.rows)) return false
  const isFit = (fit: unknown) =>
    fit === null ||
    (isRecord(fit) &&
      Array.isArray(fit.groups) &&
      areUnits(fit.units, inputs) &&
      isRecord(fit.prior) &&
      [fit.means, fit.widths, fit.noise, fit.rows].every((list) => Array.isArray(list) && list.length <= actions))
  const isStart = (start: unknown) =>
    isRecord(start) &&
    isCount(start.round) &&
    start.round <= rounds &&
    Number.isFinite(start.weight) &&
    [start.rows, start.squares, start.cubes].every((list) => Array.isArray(list) && list.length <= actions) &&
    isFit(start.fit)
  return Array.isArray(given.starts) && given.starts.length > 0 && given.starts.every(isStart)
}

/** `rounds`: those of the snapshot. */
export function areStreams(given: unknown, { encoding }: Engine, rounds: number): boolean {
  const { contextWidth, covariateWidth, covariates, actions } = encoding
  if (!isRecord(given) || !isCount(given.closings) || given.closings > rounds || !isCount(given.closed)) return false
  if (!isStream(given.rewards, contextWidth + covariateWidth, rounds, actions.length)) return false
  if (!Array.isArray(given.imputers) || given.imputers.length !== covariates.length) return false
  return given.imputers.every((columns, which) => {
    const { width } = covariates[which]!
    // None before the covariate was first known.
    if (!Array.isArray(columns) || (columns.length !== 0 && columns.length !== width)) return false
    return columns.every((stream) => isStream(stream, width + contextWidth, rounds, 1))
  })
}
