// Strangers whose rewards lie outside of the linear class, values missing at random by the context; and the lab's own worlds, where
// robust is also compared with itself given the products that the world needs.

import { createEnvironment, scenarioFromName } from '@primo/lab'
import { type Hidden, type LinearWorld, linearWorld } from './linear-world.js'
import type { World } from './world.js'

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

export const shapeWorlds: readonly World[] = [
  ...Object.entries(BENDS).map(([name, bend]) => linearWorld('outside the class', name, { bend, missing: byContext })),
  ...['dosing', 'A', 'B'].map((name) => ({
    family: 'worlds of the lab',
    name,
    atRandom: true,
    environment: () => createEnvironment(scenarioFromName(name)),
  })),
]
