// phi_b(r) = log2(4b/r): how many doublings of r a peeling argument over [r, b] needs.
// Printed, b is the noise bound for F and phi can be negative; here it is never below 1 (erratum E10).

/** max(1, log2(4b/r)) for b >= 0, r > 0. */
export function peelingCount(bound: number, radius: number): number {
  return bound > 0 ? Math.max(1, Math.log2((4 * bound) / radius)) : 1
}

/** Whether the floor at 1 was needed. */
export function peelingFloored(bound: number, radius: number): boolean {
  return !(bound > 0) || Math.log2((4 * bound) / radius) < 1
}
