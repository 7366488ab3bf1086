// Every function class by its options: which regression it is, and how a fitted model of any class is compiled.

import { invalidOption } from '@primo/numeric'
import { checkCode, codeNamed, type NamedCode } from '../problem/own-code.js'
import { compileAdditive } from './additive.js'
import { compileConstant } from './constant.js'
import { type ConvexOptions, convexRegression } from './convex.js'
import { type IsotonicOptions, isotonicRegression } from './isotonic.js'
import { type KernelOptions, kernelRegression } from './kernel.js'
import { compileKernel } from './kernel-model.js'
import { type LipschitzOptions, lipschitzRegression } from './lipschitz.js'
import { compileSurrogate } from './lipschitz-surrogate.js'
import { type NetworkOptions, networkRegression } from './network.js'
import { compileNetwork } from './network-model.js'
import { ownRegression, type RegressionClass } from './own-class.js'
import type { Elementary, Predictor, Regression, RegressionModel } from './regression.js'
import { compileRidge, type RidgeOptions, ridgeRegression } from './ridge.js'
import { type SelectOptions, selectRegression } from './selector.js'
import { type SplineOptions, splineRegression } from './spline.js'
import { type TreesOptions, treesRegression } from './trees.js'
import { compileTrees } from './trees-model.js'

/** A function class by its kind, with its options. */
export type ClassOptions =
  | RidgeOptions
  | IsotonicOptions
  | LipschitzOptions
  | ConvexOptions
  | SplineOptions
  | KernelOptions
  | TreesOptions
  | NetworkOptions
  | SelectOptions

export type ClassKind = ClassOptions['kind']

export const CLASS_KINDS = [
  'linear',
  'isotonic',
  'lipschitz',
  'convex',
  'spline',
  'kernel',
  'trees',
  'network',
  'select',
] as const satisfies readonly ClassKind[]

/** The regression of a class; throws `invalid-option` where the options are not right. `use`: classes of users that they may name. */
export function regressionOf(
  options: ClassOptions | NamedCode,
  use: readonly RegressionClass[] = [],
  field = 'class',
): Regression {
  if (typeof options !== 'object' || options === null) invalidOption('class', 'an object with a kind', options)
  const own = codeNamed(use, field, options)
  if (own !== undefined) {
    checkCode(field, own, CLASS_KINDS)
    return ownRegression(own, (options as NamedCode).options) as Regression
  }
  return builtInRegression(options as ClassOptions, field)
}

function builtInRegression(options: ClassOptions, field: string): Regression {
  switch (options.kind) {
    case 'linear':
      return ridgeRegression(options) as Regression
    case 'isotonic':
      return isotonicRegression(options) as Regression
    case 'lipschitz':
      return lipschitzRegression(options) as Regression
    case 'convex':
      return convexRegression(options) as Regression
    case 'spline':
      return splineRegression(options) as Regression
    case 'kernel':
      return kernelRegression(options) as Regression
    case 'trees':
      return treesRegression(options) as Regression
    case 'network':
      return networkRegression(options) as Regression
    case 'select':
      return selectRegression(options) as Regression
    default:
      return invalidOption(
        `${field}.kind`,
        `one of ${CLASS_KINDS.map((kind) => `"${kind}"`).join(', ')}, or that of a class in the option "use"`,
        (options as { kind?: unknown }).kind,
      )
  }
}

export type ModelCompiler = (model: RegressionModel) => Predictor

/** Compiles what this class fitted, and the constant that stands in where it could not. */
export function compilerOf(regression: Regression | null): ModelCompiler {
  return (model) => (model.kind === 'own' && regression !== null ? regression.compile(model) : compileModel(model))
}

/** Of the built-in classes: a model of a user's class is compiled with that class (`compilerOf`). */
export function compileModel(model: RegressionModel, maths: Elementary = Math): Predictor {
  switch (model.kind) {
    case 'constant':
      return compileConstant(model)
    case 'linear':
      return compileRidge(model)
    case 'isotonic':
    case 'lipschitz':
    case 'convex':
    case 'spline':
      return compileAdditive(model)
    case 'lipschitz-surrogate':
      return compileSurrogate(model)
    case 'kernel':
      return compileKernel(model, maths)
    case 'trees':
      return compileTrees(model)
    case 'network':
      return compileNetwork(model, maths)
    case 'select':
      return compileModel(model.model, maths)
    default:
      return invalidOption('model.kind', 'that of a function class', (model as { kind?: unknown }).kind)
  }
}
