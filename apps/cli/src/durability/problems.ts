// Two problems for durability runs: one that closes with the first reward, one that sums rewards within a window.

import type { ProblemDefinition } from '@primo/contract'

const shared = {
  context: { age: { type: 'number', min: 0, max: 100 }, smoker: { type: 'boolean' } },
  covariates: {
    dose: {
      type: 'number',
      min: 0,
      max: 10,
      imputer: { kind: 'linear', intercept: 2, coefficients: { age: 0.05 } },
      reveals: 'context',
    },
  },
  actions: ['low', 'medium', 'high'],
} as const

export const problems: Readonly<Record<string, ProblemDefinition>> = {
  first: { ...shared, actions: [...shared.actions], reward: { min: 0, max: 1 }, learning: { seed: 1 } },
  summed: {
    ...shared,
    actions: [...shared.actions],
    reward: { min: 0, max: 10, window: { milliseconds: 400 }, default: 0, aggregate: 'sum' },
    learning: { seed: 2 },
  },
}

export function randomRequest(eventId: string): Record<string, unknown> {
  const age = Math.floor(Math.random() * 100)
  const seen = Math.random() < 0.6
  return {
    eventId,
    context: { age, smoker: Math.random() < 0.3 },
    covariates: { dose: seen ? Math.min(10, Math.max(0, 1 + 0.06 * age + Math.random())) : null },
  }
}
