// npm run hostile [-- --requests 1000000 --seed 1]: hostile requests to services in parts, some at a time (a request costs more the
// longer the log of its service is). A part is the test of bad input with seeds of its own; what failed is printed with its seed.

import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const PART = 25_000
const TEST = 'apps/service/src/http/bad-input.test.ts'
const { values } = parseArgs({
  options: { requests: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
})
const [requests, first] = [Number(values.requests), Number(values.seed)]
if (!(Number.isSafeInteger(requests) && requests > 0 && Number.isSafeInteger(first) && first >= 0)) {
  console.error('--requests and --seed must be whole numbers, as in --requests 1000000 --seed 1')
  process.exit(2)
}
const root = fileURLToPath(new URL('../../../', import.meta.url))
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))

function run(seed, count) {
  const env = { ...process.env, PRIMO_SEED: String(seed), PRIMO_REQUESTS: String(count), NO_COLOR: '1' }
  const child = spawn(process.execPath, [vitest, 'run', TEST, '-t', 'hostile requests'], { cwd: root, env })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data))
  return new Promise((resolve) => child.once('close', (code) => resolve({ ok: code === 0, said })))
}

let next = 0
let sent = 0
let failed = 0
const lane = async () => {
  while (next < requests) {
    const at = next
    const count = Math.min(PART, requests - at)
    next += count
    const { ok, said } = await run(first + at, count)
    sent += count
    if (!ok) {
      failed++
      console.log(said)
    }
    console.log(`${sent}/${requests} requests; ${failed} parts failed`)
  }
}
await Promise.all(Array.from({ length: availableParallelism() + 1 }, lane))
console.log(failed === 0 ? 'never 5xx, never a change by a refused call' : `${failed} parts FAILED`)
process.exit(failed === 0 ? 0 : 1)
