// A chi-square value as a standard normal deviate with the same tail (Wilson and Hilferty): ((v/q)^(1/3) - 1 + 2/(9q)) / sqrt(2/(9q)).

export function chiSquareDeviate(value: number, degrees: number): number {
  const spread = 2 / (9 * degrees)
  return (Math.cbrt(Math.max(0, value) / degrees) - 1 + spread) / Math.sqrt(spread)
}
