// npm run corruption [-- --count 200 --seed 1]: a store is damaged in many ways, each time another copy of it. An acknowledged
// answer must not change without a word.

import { parseArgs } from 'node:util'
import { runCorruption } from '../dist/corruption/run.js'

const { values } = parseArgs({
  options: { count: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
})
const count = Number(values.count)
const corruptions = await runCorruption({
  count,
  seed: Number(values.seed),
  decisions: 300,
  onTrial: (trial, { kind, target, what, noticed, says, changed }) => {
    process.stderr.write(`${trial}/${count} ${target} ${kind} (${what}): noticed by ${noticed} ${says.slice(0, 120)}\n`)
    for (const answer of changed.slice(0, 3)) process.stderr.write(`  changed: ${answer}\n`)
  },
})
const NOTICED = ['start', 'reading', 'verify', 'nobody']
console.log(`corruption: ${count} damaged copies of a store, seed ${values.seed}`)
console.log(`  ${'what'.padEnd(12)} ${NOTICED.map((who) => who.padStart(8)).join('')}  answers changed`)
for (const target of ['file', 'log'])
  for (const kind of ['bits', 'zeros', 'cut', 'swap']) {
    const own = corruptions.filter((one) => one.kind === kind && one.target === target)
    const cells = NOTICED.map((who) => String(own.filter(({ noticed }) => noticed === who).length).padStart(8))
    const changed = own.filter((one) => one.changed.length > 0).length
    console.log(`  ${`${target} ${kind}`.padEnd(12)} ${cells.join('')}  ${changed}`)
  }
const wrong = corruptions.filter(({ changed }) => changed.length > 0)
console.log(`answers changed without a word: ${wrong.length}`)
process.exitCode = wrong.length === 0 ? 0 : 1
