// The numeric constants of the oracle inequality (Thm 1), in one place; nothing else depends on their values.
//   bound = r + outer * ( c1 r + c2 sqrt(2L/N) + c3 L/(rN) + imputation + average ),
//   c = max(floor, offset + slope * lambda),   L = log(phi_b(r)/delta).
// printed: as the theorem displays them, universal constant taken as 1. printedProof: as the paper's proof derives
// them. corrected: rederived for rewards in [0,1] (errata E10, E11, E12; derivation in docs/errata.md).

/** c = max(floor, offset + slope * lambda). */
export interface NoiseCoefficient {
  readonly floor: number
  readonly offset: number
  readonly slope: number
}

/** The numeric constants of the oracle inequality. */
export interface ErmConstants {
  readonly outer: number
  readonly oracle: NoiseCoefficient
  readonly fluctuation: NoiseCoefficient
  readonly higherOrder: NoiseCoefficient
  /** The b of phi_b: the noise bound lambda as printed, the diameter of F (1) corrected. */
  readonly peeling: 'lambda' | 'diameter'
}

const SQUARE_COMPLETED = 1 + Math.sqrt(5) / 2

/** The constants as printed, as the proof has them, and corrected. */
export const constants = {
  printed: {
    outer: 1,
    oracle: { floor: 4, offset: 0, slope: 1 },
    fluctuation: { floor: 16, offset: 0, slope: 4 },
    higherOrder: { floor: 1, offset: 0, slope: 0 },
    peeling: 'lambda',
  },
  printedProof: {
    outer: SQUARE_COMPLETED,
    oracle: { floor: 4, offset: 0, slope: 1 },
    fluctuation: { floor: 16, offset: 0, slope: 4 },
    higherOrder: { floor: 64, offset: 0, slope: 0 },
    peeling: 'lambda',
  },
  corrected: {
    outer: SQUARE_COMPLETED,
    oracle: { floor: 4, offset: 1, slope: 1 },
    fluctuation: { floor: 4, offset: 1, slope: 2 },
    higherOrder: { floor: 16, offset: 4, slope: 8 },
    peeling: 'diameter',
  },
} as const satisfies Record<string, ErmConstants>

export function noiseCoefficient(coefficient: NoiseCoefficient, lambda: number): number {
  return Math.max(coefficient.floor, coefficient.offset + coefficient.slope * lambda)
}
