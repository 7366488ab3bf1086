import type { Engine } from '../learner/engine.js'
import type { GammaInput, GammaSchedule } from './gamma.js'

export interface TheoryConstants {
  readonly elasticity?: number
}

export function theoryGamma(
  _engine: Engine,
  _gamma: Extract<GammaSchedule, { kind: 'theory' }>,
  _input: GammaInput,
): number {
  return 0
}
