// Every study by name.

import { baselines } from './baselines.js'
import { reference } from './reference.js'
import type { Study } from './study.js'

export const studies: readonly Study[] = [reference, baselines]
