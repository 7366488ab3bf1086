// Strangers by their pre-trained model: from excellent to anti-correlated, models that saw the truth, several
// covariates, values that are not missing at random.

import { continuous, type Hidden, type LinearWorld, linearWorld } from './linear-world.js'
import type { Stranger } from './world.js'

const MODELS: Readonly<Record<string, NonNullable<LinearWorld['model']>>> = {
  excellent: ({ mean }) => mean,
  mediocre: ({ mean, x }) => 0.4 * mean + 0.3 * x[2]! + 0.2,
  useless: ({ random }) => 2 * random.uniform() - 1,
  'anti-correlated': ({ mean }) => -mean,
}

const PROXIES: Readonly<Record<string, NonNullable<LinearWorld['model']>>> = {
  'truth plus noise': ({ z, random }) => z + 0.3 * random.normal(),
  shrunk: ({ z, random }) => 0.4 * z + 0.1 * random.normal(),
  stretched: ({ z, random }) => 1.6 * z + 0.1 * random.normal(),
  bent: ({ z, random }) => Math.sign(z) * Math.sqrt(Math.abs(z)) + 0.1 * random.normal(),
}

const sigmoid = (value: number) => 1 / (1 + Math.exp(-value))

/** Values are hidden by their size. */
const bySize = ({ eta }: Hidden) => sigmoid(-4 * eta)
/** Which sizes are hidden depends on the context, so that on average nothing shows. */
const cancelling = ({ eta, x }: Hidden) => sigmoid(-6 * eta * Math.sign(x[3]!))

export const modelWorlds: readonly Stranger[] = [
  ...Object.entries(MODELS).flatMap(([name, model]) => [
    linearWorld('pre-trained model', `${name} model`, { model }),
    linearWorld('pre-trained model', `${name} model, 95% missing`, { model, missing: () => 0.95 }),
  ]),
  linearWorld('pre-trained model', 'three covariates', { covariates: 3 }),
  ...Object.entries(PROXIES).flatMap(([name, model]) => [
    linearWorld('model saw the truth', `${name}, Bernoulli`, { model }),
    linearWorld('model saw the truth', `${name}, continuous`, { model, reward: continuous }),
  ]),
  linearWorld('not at random', 'wide noise', { width: 0.9, missing: bySize }),
  linearWorld('not at random', 'wide noise, continuous', {
    width: 0.9,
    missing: bySize,
    reward: continuous,
  }),
  linearWorld('not at random', 'cancels over contexts', { width: 0.9, missing: cancelling }),
]
