// Between the user's units and the units inside (a number on [-1, 1], a mean reward on [0, 1]), and back such that the way
// in again gives the same bits. Not every inside value is one that a double in the user's units reaches; those of the
// lab's environments are (environments/inside-units.ts).

import type { NumberFeature } from '@primo/core'
import { scaleNumber, unscaleNumber } from '@primo/core/engine'

export interface Unit {
  readonly toInside: (value: number) => number
  readonly fromInside: (inside: number) => number
}

export function numberUnit(feature: NumberFeature): Unit {
  return {
    toInside: (value) => scaleNumber(feature, value),
    fromInside: (inside) => unscaleNumber(feature, inside),
  }
}

export function rewardUnit(min: number, max: number): Unit {
  const width = max - min
  return { toInside: (value) => (value - min) / width + 0, fromInside: (inside) => inside * width + min }
}

/** Booleans and probabilities are the same on both sides. */
export const sameUnit: Unit = { toInside: (value) => value, fromInside: (inside) => inside }

const MAX_STEPS = 16

/** The value that reads back as `inside` to the bit if there is one near, else the nearest that was found. */
export function exactValue({ toInside, fromInside }: Unit, inside: number): number {
  let value = fromInside(inside)
  let reached = toInside(value)
  if (reached === inside || Number.isNaN(inside)) return value
  const up = reached < inside
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = neighbour(value, up)
    const there = toInside(next)
    if (there === inside) return next
    // Beyond the target: no double reads back as it.
    if (up === there > inside) return Math.abs(there - inside) < Math.abs(reached - inside) ? next : value
    value = next
    reached = there
  }
  return value
}

const float = new Float64Array(1)
const bits = new BigInt64Array(float.buffer)

/** The next double above or below. */
function neighbour(value: number, up: boolean): number {
  if (value === 0) return up ? Number.MIN_VALUE : -Number.MIN_VALUE
  float[0] = value
  bits[0] = bits[0]! + (up === value > 0 ? 1n : -1n)
  return float[0]
}
