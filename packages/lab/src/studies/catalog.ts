// Every study by name.

import { baselines } from './baselines.js'
import { gamma } from './gamma.js'
import { mechanisms } from './mechanisms.js'
import { reference } from './reference.js'
import type { Study } from './study.js'
import { theory } from './theory.js'

export const studies: readonly Study[] = [reference, baselines, gamma, mechanisms, theory]
