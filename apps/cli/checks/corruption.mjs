// npm run corruption [-- --count 200 --seed 1 --decisions 300 --json]: a store is damaged in many ways, each time another copy of it. An acknowledged
// answer must not change without a word.

import { parseArgs } from 'node:util'
import { runCorruption } from '../dist/corruption/run.js'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    decisions: { type: 'string', default: '300' },
    json: { type: 'boolean', default: false },
  },
})
const count = Number(values.count)
const corruptions = await runCorruption({
  count,
  seed: Number(values.seed),
  decisions: Number(values.decisions),
  onTrial: (trial, { kind, target, what, noticed, says, changed }) => {
    process.stderr.write(`${trial}/${count} ${target} ${kind} (${what}): noticed by ${noticed} ${says.slice(0, 120)}\n`)
    for (const answer of changed.slice(0, 3)) process.stderr.write(`  changed: ${answer}\n`)
  },
})
if (values.json) console.log(JSON.stringify(corruptions))
else printTable()
const wrong = corruptions.filter(({ changed }) => changed.length > 0)
if (!values.json) console.log(`answers changed without a word: ${wrong.length}`)
process.exitCode = wrong.length === 0 ? 0 : 1

function printTable() {
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
}
