import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createCompare } from './comparison.js'
import { demoProblems } from './demo-problem.js'
import { LiveErrors } from './live-errors.js'
import { LiveRegret } from './live-regret.js'
import type { ShadowBaselineRun } from './shadow-baselines.js'

const ROUNDS = 6000
const each = (regret: number) => Float64Array.from({ length: ROUNDS }, (_, i) => regret * (i + 1))

/** Each round `zeros` is lost by taking missing values as zero, .3 by the uncorrected model, .2 by the live service. */
function compared(zeros: number) {
  const live = new LiveRegret(join(mkdtempSync(join(tmpdir(), 'primo-compare-')), 'regret'))
  for (let i = 0; i < ROUNDS; i++) live.add(0.2)
  const regret = { uniform: each(0.5), uncorrected: each(0.3), 'zero-fill': each(zeros), 'sees-all-values': each(0.1) }
  const run: ShadowBaselineRun = {
    rounds: ROUNDS,
    regret,
    floor: each(0.05),
    missing: new Uint32Array(ROUNDS),
    best: 1,
  }
  const [problem] = demoProblems
  const errors = new LiveErrors()
  return createCompare({ problem: problem!, covariate: 'riskAlleles', span: 1, live, errors, elapsed: () => 1 }).at(
    run,
  )!
}

it('compares with the best rival of the picture', () => {
  expect(compared(0.1)).toMatchObject({
    rival: 'taking missing values as zero',
    perThousand: { live: { mean: expect.closeTo(-100, 6) } },
  })
  expect(compared(0.1).sentence).toMatch(/Primo gives 100 fewer right doses .* than taking missing values as zero/)
  expect(compared(0.4).sentence).toMatch(/Primo gives 100 more right doses .* than the uncorrected model/)
})
