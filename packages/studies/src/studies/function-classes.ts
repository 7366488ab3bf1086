// primo study function-classes: the rates of the paper's example classes, and what a class that fits the world is worth.

import type { Study } from '@primo/lab/node'
import { classRates } from './function-classes-rates.js'
import { classRegret } from './function-classes-regret.js'

export const functionClasses: Study = {
  name: 'function-classes',
  title: 'Function classes for rewards, covariate models and missingness',
  claim:
    'Lipschitz, convex and twice differentiable classes learn at the rates of their critical radii; where the world is bent, trees and kernels have less regret than linear classes, with primo-cal and with robust.',
  run: async (options) => {
    const full = options.scale === 'full'
    const seeds = full ? 20 : 6
    const settings = { rounds: full ? 2 ** 13 : 2 ** 12, repeats: full ? 8 : 3, otherRepeats: full ? 3 : 1 }
    const rates = classRates(full, options.seed, seeds, (share) => options.onProgress?.(0.3 * share))
    const regret = await classRegret(
      { ...options, onProgress: (share) => options.onProgress?.(0.3 + 0.7 * share) },
      settings,
    )
    return {
      settings: {
        ...settings,
        'seeds of rates': seeds,
        'first seed': options.seed,
        scale: options.scale,
      },
      tables: [...rates.tables, ...regret.tables],
      plots: rates.plots,
      verdicts: [...rates.verdicts, ...regret.verdicts],
    }
  },
}
