// `module`: a JavaScript file of yours in the folder of `primo serve --models examples/models`. It runs in a thread of its own.

import { decideFor } from './patients.js'

export const moduleImputer = (url: string) =>
  decideFor(url, 'dose-by-module', { kind: 'module', file: 'alleles.js', version: '2026-11', limits: { budget: 2000 } })
