// Axes: from values to pixels, with ticks at round numbers or round times.

export interface Scale {
  readonly min: number
  readonly max: number
  readonly at: (value: number) => number
  readonly ticks: readonly number[]
}

export function linearScale(min: number, max: number, from: number, to: number, count: number): Scale {
  const span = max - min || 1
  return { min, max, at: (value) => from + ((value - min) / span) * (to - from), ticks: roundTicks(min, max, count) }
}

/** A few ticks more than asked for beat half as many. */
const ENOUGH = 0.75

export function roundTicks(min: number, max: number, count: number): number[] {
  const span = max - min
  if (!(span > 0)) return [min]
  const rough = span / Math.max(1, count)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((k) => k * power).find((size) => size >= ENOUGH * rough)!
  return ticksBy(step, min, max)
}

const SECOND = 1000
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * SECOND,
)

/** Ticks at full seconds, minutes, hours or days. */
export function timeTicks(min: number, max: number, count: number): number[] {
  const rough = (max - min) / Math.max(1, count)
  const step = STEPS.find((size) => size >= ENOUGH * rough) ?? Math.ceil(rough / STEPS.at(-1)!) * STEPS.at(-1)!
  return ticksBy(step, min, max)
}

function ticksBy(step: number, min: number, max: number): number[] {
  const ticks: number[] = []
  const first = Math.ceil(min / step - 1e-9)
  for (let k = first; k * step <= max + step * 1e-9; k++) ticks.push(Number((k * step).toPrecision(12)))
  return ticks
}
