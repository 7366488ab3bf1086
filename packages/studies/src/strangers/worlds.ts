// All strangers, family by family.

import { banditWorlds } from './bandit-worlds.js'
import { categoryWorlds } from './category-worlds.js'
import { modelWorlds } from './model-worlds.js'
import { oddWorlds } from './odd-worlds.js'
import { rangeWorlds } from './range-worlds.js'
import { rewardWorlds } from './reward-worlds.js'
import { shapeWorlds } from './shape-worlds.js'
import type { Stranger } from './world.js'

export const worlds: readonly Stranger[] = [
  ...banditWorlds,
  ...rewardWorlds,
  ...modelWorlds,
  ...categoryWorlds,
  ...rangeWorlds,
  ...shapeWorlds,
  ...oddWorlds,
]
