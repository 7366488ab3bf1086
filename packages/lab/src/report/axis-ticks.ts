// Ticks of axes. Linear: steps of 1, 2 or 5 times a power of ten, about as many as asked for. Logarithmic: powers of
// ten; with fewer than three of them also 2 and 5 times; with more than `most`, fewer.

export function linearTicks([low, high]: readonly [number, number], count: number): readonly number[] {
  const step = (high - low) / Math.max(1, count)
  const exponent = Math.floor(Math.log10(step))
  const size = step / tenTo(exponent)
  const factor = size >= Math.sqrt(50) ? 10 : size >= Math.sqrt(10) ? 5 : size >= Math.SQRT2 ? 2 : 1
  // A negative power of ten divides, so that ticks are the nearest doubles of their decimals.
  const at = (k: number) => (exponent < 0 ? (k * factor) / tenTo(-exponent) : k * factor * tenTo(exponent))
  const unit = factor * tenTo(exponent)
  const [first, last] = [Math.ceil(low / unit - 1e-9), Math.floor(high / unit + 1e-9)]
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => at(first + k))
}

export function logTicks([low, high]: readonly [number, number], most: number): readonly number[] {
  const first = Math.floor(Math.log10(low))
  const last = Math.ceil(Math.log10(high))
  const powers = Array.from({ length: last - first + 1 }, (_, i) => tenTo(first + i))
  const inside = (ticks: readonly number[]) => ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001)
  const decades = inside(powers)
  if (decades.length >= 3) {
    const step = Math.ceil(decades.length / Math.max(2, most))
    return decades.filter((_, i) => i % step === 0)
  }
  const finer = inside(powers.flatMap((power) => [power, 2 * power, 5 * power]))
  if (finer.length >= 3)
    return finer.length <= most ? finer : decades.length >= 2 ? decades : finer.filter((_, i) => i % 2 === 0)
  // Less than about one decade: a linear step is clearer.
  const step = niceStep((high - low) / 4)
  const ticks: number[] = []
  for (let k = Math.ceil(low / step); k * step <= high * 1.001; k++) ticks.push(k * step)
  return ticks
}

function niceStep(span: number): number {
  const power = tenTo(Math.floor(Math.log10(span)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= span) ?? span
}

/** Exact where a double is: 10 ** -3 is, a product of tenths is not. */
function tenTo(exponent: number): number {
  return Number(`1e${exponent}`)
}
