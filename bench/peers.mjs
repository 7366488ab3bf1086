// The kernels next to numpy and scikit-learn on the same 1,000,000 x 20 doubles, one thread each: processor seconds, medians, so that
// other programs disturb less. Where no python3 has the two, the bench says so and goes on.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { fitObservation, observationSettings, regressionOf } from '@primo/core/engine'
import { gram, Random, simdArray } from '@primo/numeric'

const ROWS = 1_000_000
const COLUMNS = 20
const BLOCK = 4096

function data() {
  const random = Random.fromSeed(1)
  const inputs = simdArray(ROWS * COLUMNS)
  const targets = new Float64Array(ROWS)
  const observed = new Uint8Array(ROWS)
  const slopes = Array.from({ length: COLUMNS }, () => random.normal())
  for (let row = 0, at = 0; row < ROWS; row++) {
    let mean = 0
    for (let k = 0; k < COLUMNS; k++, at++) {
      inputs[at] = 2 * random.uniform() - 1
      mean += slopes[k] * inputs[at]
    }
    targets[row] = mean + random.uniform()
    observed[row] = random.uniform() < 1 / (1 + Math.exp(-mean / 2)) ? 1 : 0
  }
  return { inputs, targets, observed }
}

function seconds(run, repeats) {
  run()
  const values = Array.from({ length: repeats }, () => {
    const start = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1e6
  })
  return values.sort((a, b) => a - b)[Math.floor(repeats / 2)]
}

/** Figures of numpy and scikit-learn, or null where no python3 has them. */
function peers({ inputs, targets, observed }) {
  const table = new Float64Array(ROWS * (COLUMNS + 2))
  for (let row = 0; row < ROWS; row++) {
    table.set(inputs.subarray(row * COLUMNS, (row + 1) * COLUMNS), row * (COLUMNS + 2))
    table[row * (COLUMNS + 2) + COLUMNS] = targets[row]
    table[row * (COLUMNS + 2) + COLUMNS + 1] = observed[row]
  }
  const script = fileURLToPath(new URL('./peers.py', import.meta.url))
  for (const python of ['python3', '/usr/bin/python3']) {
    const { status, stdout } = spawnSync(python, [script, String(ROWS), String(COLUMNS)], {
      input: Buffer.from(table.buffer),
      stdio: ['pipe', 'pipe', 'ignore'],
      encoding: 'utf8',
    })
    if (status === 0) return JSON.parse(stdout)
  }
  return null
}

export function benchPeers() {
  const given = data()
  const { inputs, targets, observed } = given
  const out = new Float64Array(COLUMNS * COLUMNS)
  const rows = { columns: COLUMNS, count: ROWS, inputs, targets, weights: null }
  const ridge = regressionOf({ kind: 'linear', ridge: 1 })
  const settings = observationSettings({ model: 'logit', loss: 'likelihood' })
  const batches = Array.from({ length: Math.ceil(ROWS / BLOCK) }, (_, block) => {
    const [first, end] = [block * BLOCK, Math.min(ROWS, (block + 1) * BLOCK)]
    const context = inputs.subarray(first * COLUMNS, end * COLUMNS)
    return { block, count: end - first, context, observed: observed.subarray(first, end) }
  })
  const logistic = () => fitObservation({ contextWidth: COLUMNS, batches }, settings)
  const own = {
    gram: seconds(() => gram(inputs, inputs, ROWS, COLUMNS, out), 7),
    ridge: seconds(() => ridge.fit(rows, Random.fromSeed(1)), 5),
    logistic: seconds(logistic, 3),
  }
  const other = peers(given)
  console.log(
    `Fits of ${ROWS.toLocaleString('en')} x ${COLUMNS}, processor seconds of one thread (Node ${process.version})`,
  )
  const show = (name, mine, peer, theirs, target) => {
    const ratio =
      theirs === undefined ? '' : `   ${peer} ${theirs.toFixed(3)} s   ${(theirs / mine).toFixed(2)}x its speed`
    console.log(`  ${name.padEnd(10)} ${mine.toFixed(3)} s${ratio}   (target: ${target})`)
  }
  show('Gram', own.gram, 'numpy', other?.gram, 'at least 0.60x')
  show('ridge', own.ridge, 'numpy, normal equations', other?.normal, 'at least 0.67x')
  show('ridge', own.ridge, 'scikit-learn, Ridge', other?.ridge, 'at least 2.00x')
  show('logistic', own.logistic, 'scikit-learn, LogisticRegression', other?.logistic, 'at least 1.00x')
  if (other === null) console.log('  no python3 with numpy and scikit-learn here: their figures are passed over.')
  else {
    const weights = logistic().weights
    const apart = Math.max(...other.slopes.map((value, k) => Math.abs(value - weights[k + 1])))
    console.log(`  logistic slopes differ from scikit-learn's by at most ${apart.toExponential(1)}`)
    console.log(`  peer: ${other.versions}`)
  }
}
