// A correction that depends on g~ alone: g-hat = g~ + d(g~), d straight between knots and constant beyond them, so that beyond what
// was seen the model keeps its own slope. Where g~ + d is increasing the correction never turns the model's order around.

import { compileCurve } from '../regression/curve.js'

export interface MonotoneMap {
  /** Knots in g~, increasing, inside units. */
  readonly x: readonly number[]
  /** d at the knots. */
  readonly y: readonly number[]
}

export type CompiledMap = (pretrained: number) => number

const none: CompiledMap = () => 0

/** d(g~); 0 without a map. */
export function compileMap(map: MonotoneMap | undefined): CompiledMap {
  return map === undefined ? none : compileCurve({ kind: 'line', ...map, beyond: 'constant' })
}

export function scaleMap({ x, y }: MonotoneMap, factor: number): MonotoneMap {
  return { x, y: y.map((value) => factor * value) }
}

/** The mean of two maps, which is straight between the knots of both. */
export function meanMap(a: MonotoneMap, b: MonotoneMap): MonotoneMap {
  const [first, second] = [compileMap(a), compileMap(b)]
  const x = [...new Set([...a.x, ...b.x])].sort((one, other) => one - other)
  return { x, y: x.map((at) => (first(at) + second(at)) / 2) }
}

export function isMonotoneMap(given: unknown): given is MonotoneMap {
  const { x, y } = (given ?? {}) as Partial<MonotoneMap>
  if (!Array.isArray(x) || !Array.isArray(y) || x.length === 0 || x.length !== y.length) return false
  return [...x, ...y].every(Number.isFinite) && x.every((value, i) => i === 0 || value > x[i - 1]!)
}
