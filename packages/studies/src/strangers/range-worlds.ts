// Strangers whose ranges are declared 10, 100 and 1,000 times too wide: the same rounds otherwise.

import { linearWorld } from './linear-world.js'
import type { Stranger } from './world.js'

const FAMILY = 'declared ranges'
const TIGHT = 'ranges as they are'

export const rangeWorlds: readonly Stranger[] = [
  linearWorld(FAMILY, TIGHT),
  ...(['context', 'covariate', 'reward'] as const).flatMap((what) =>
    [10, 100, 1000].map((factor) =>
      linearWorld(
        FAMILY,
        `${what} ${factor.toLocaleString('en')}x`,
        { declared: { [what]: factor } },
        { against: TIGHT },
      ),
    ),
  ),
]
