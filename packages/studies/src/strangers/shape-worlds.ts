// Strangers whose rewards lie outside of the linear class, values missing at random by the context; and the lab's own
// worlds.

import { createEnvironment, scenarioFromName } from '@primo/lab'
import { continuous, type Hidden, type LinearWorld, linearWorld } from './linear-world.js'
import type { Stranger } from './world.js'

const byContext = ({ x }: Hidden) => 1 / (1 + Math.exp(-2 * x[0]!))

const turn = (action: number, actions: number) => Math.cos((2 * Math.PI * action) / actions)

const BENDS: Readonly<Record<string, NonNullable<LinearWorld['bend']>>> = {
  'step in x': (x, _z, a, actions) => turn(a, actions) * Math.sign(x[0]!),
  'step in z': (_x, z, a, actions) => turn(a, actions) * Math.sign(z),
  'square of x': (x, _z, a, actions) => 2 * turn(a, actions) * (x[1]! ** 2 - 1 / 3),
  'square of z': (_x, z, a, actions) => 2 * turn(a, actions) * (z * z - 0.2),
  'product of x and x': (x, _z, a, actions) => 2 * turn(a, actions) * x[0]! * x[1]!,
  'product of z and x': (x, z, a, actions) => 2 * turn(a, actions) * x[2]! * z,
}

/**
 * With a third of the seeds in the proportions in which rewards react to z, so that a correction of z could stand in
 * for them.
 */
const ALONG: Readonly<Record<string, (x: number) => number>> = {
  'cube of x, along z': (x) => 3 * (x ** 3 - 0.6 * x),
  'waves of x, along z': (x) => 1.2 * Math.sin(6 * x),
}

/** Of the parametric family, a draw of its parameters for every seed. */
const DIALS: Readonly<Record<string, (rounds: number) => string>> = {
  'as designed': () => '',
  'F misspecified: waves in x': () => 'misspecifiedReward=1',
  'F misspecified: sine of z': () => 'reward=nonlinear',
  'G misspecified': () => 'covariateMean=rough&misspecifiedImputer=0.3',
  'rewards late by 500 rounds': () => 'delayMean=500',
  'rewards drift': (rounds) => `driftPeriod=${rounds}`,
  'covariate drifts': (rounds) => `staleAt=${rounds / 4}&staleOver=${rounds / 2}`,
  'rare action': () => 'rareShare=0.02',
  'contexts of the family correlated': () => 'correlation=0.8',
}

export const shapeWorlds: readonly Stranger[] = [
  ...Object.entries(BENDS).map(([name, bend]) => linearWorld('outside the class', name, { bend, missing: byContext })),
  ...Object.entries(ALONG).map(([name, shape]) =>
    linearWorld('outside the class', name, {
      bend: (x, _z, a, actions) => ((2 * a) / (actions - 1) - 1) * shape(x[0]!),
      missing: ({ x }) => 1 / (1 + Math.exp(-3 * x[0]!)),
      reward: continuous,
    }),
  ),
  ...['dosing', 'A', 'B', 'MNAR+4', 'MNAR-4', 'bandit?actions=10&gap=0.05'].map((name) => ({
    family: 'worlds of the lab',
    name,
    environment: () => createEnvironment(scenarioFromName(name)),
  })),
  ...Object.entries(DIALS).map(([name, dials]) => ({
    family: 'one assumption fails',
    name,
    environment: (seed: number, rounds: number) =>
      createEnvironment(scenarioFromName(`family?draw=${seed}&${dials(rounds)}`)),
  })),
]
