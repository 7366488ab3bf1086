// Function classes next to scikit-learn on the same data, one thread: boosted trees (100 rounds, 100,000 x 20), isotonic regression
// (1,000,000 points), memory of boosted trees on 1,000,000 x 20 (in a process of its own). Processor seconds, not wall clock, so
// that other programs disturb less; medians. Without scikit-learn its lines are passed over, visibly.

import { execFileSync, spawnSync } from 'node:child_process'
import { regressionOf } from '@primo/core/engine'
import { Random } from '@primo/numeric'

const TREES = { kind: 'trees', rounds: 100, stop: false, ridge: 0 }

function table(count, columns, seed) {
  const random = Random.fromSeed(seed)
  const inputs = new Float64Array(count * columns)
  const targets = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const at = i * columns
    for (let k = 0; k < columns; k++) inputs[at + k] = 2 * random.uniform() - 1
    const bent = columns > 2 ? inputs[at + 1] * inputs[at + 2] : 0
    targets[i] = Math.sin(3 * inputs[at]) + bent + 0.6 * (random.uniform() - 0.5)
  }
  return { columns, count, inputs, targets, weights: null }
}

function seconds(run, repeats) {
  const values = Array.from({ length: repeats }, () => {
    const start = process.cpuUsage()
    run()
    return process.cpuUsage(start).user / 1e6
  })
  return values.sort((a, b) => a - b)[Math.floor(repeats / 2)]
}

const PEER = `
import os
os.environ["OMP_NUM_THREADS"] = "1"
import json, sys, time, platform
import numpy, sklearn
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.isotonic import IsotonicRegression
def median(run, repeats):
    values = []
    for _ in range(repeats):
        start = time.process_time(); run(); values.append(time.process_time() - start)
    return sorted(values)[repeats // 2]
rng = numpy.random.default_rng(1)
x = rng.uniform(-1, 1, (100000, 20))
y = numpy.sin(3 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.6 * (rng.uniform(size=100000) - 0.5)
trees = median(lambda: HistGradientBoostingRegressor(max_iter=100, early_stopping=False).fit(x, y), 3)
u = rng.uniform(-1, 1, 1000000)
v = numpy.sin(3 * u) + 0.6 * (rng.uniform(size=1000000) - 0.5)
isotonic = median(lambda: IsotonicRegression().fit(u, v), 3)
print(json.dumps(dict(trees=trees, isotonic=isotonic, versions=f"Python {platform.python_version()}, numpy {numpy.__version__}, scikit-learn {sklearn.__version__}")))
`

/** Figures of scikit-learn, or null where no python3 has it. */
function peer() {
  for (const python of ['python3', '/usr/bin/python3']) {
    const { status, stdout } = spawnSync(python, ['-c', PEER], { encoding: 'utf8' })
    if (status === 0) return JSON.parse(stdout)
  }
  return null
}

/** Largest resident memory in megabytes of a fit on 1,000,000 x 20 in a fresh process. */
function memory() {
  const script = `
    import { regressionOf } from '@primo/core/engine'
    import { Random } from '@primo/numeric'
    const random = Random.fromSeed(1)
    const count = 1000000, columns = 20
    const inputs = new Float64Array(count * columns)
    for (let i = 0; i < inputs.length; i++) inputs[i] = 2 * random.uniform() - 1
    const targets = Float64Array.from({ length: count }, (_, i) => Math.sin(3 * inputs[i * columns]) + random.uniform())
    regressionOf({ kind: 'trees', rounds: 5, stop: false }).fit({ columns, count, inputs, targets, weights: null }, random)
    console.log(process.resourceUsage().maxRSS / 1024)
  `
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname }))
}

export function benchFunctionClasses() {
  const rows = table(100_000, 20, 1)
  const trees = regressionOf(TREES)
  trees.fit(table(20_000, 20, 2), Random.fromSeed(1))
  const treesTime = seconds(() => trees.fit(rows, Random.fromSeed(1)), 3)
  const line = table(1_000_000, 1, 3)
  const isotonic = regressionOf({ kind: 'isotonic', direction: 'increasing' })
  isotonic.fit(table(100_000, 1, 4), Random.fromSeed(1))
  const isotonicTime = seconds(() => isotonic.fit(line, Random.fromSeed(1)), 3)
  const other = peer()
  console.log(`Function classes, processor seconds of one thread, median of 3 (Node ${process.version})`)
  const show = (name, own, theirs, target) => {
    const ratio = theirs === undefined ? '' : `   scikit-learn ${theirs.toFixed(2)} s   ${(own / theirs).toFixed(2)}x`
    console.log(`  ${name.padEnd(44)} ${own.toFixed(2).padStart(6)} s${ratio}   (target: ${target})`)
  }
  show('boosted trees, 100 rounds, 100,000 x 20', treesTime, other?.trees, 'at most 2x')
  show('isotonic, 1,000,000 points', isotonicTime, other?.isotonic, 'under 1 s')
  console.log(`  boosted trees, 1,000,000 x 20: ${memory().toFixed(0)} MB at most (target: under 1,024 MB)`)
  console.log(
    other === null ? '  scikit-learn is not installed: its lines are passed over.' : `  peer: ${other.versions}`,
  )
}
