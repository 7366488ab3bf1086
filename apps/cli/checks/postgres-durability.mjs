// npm run durability:postgres [-- --cycles 50]: `primo durability` on PostgreSQL. In every fifth cycle the server
// processes of PostgreSQL are killed too.

import { parseArgs } from 'node:util'
import { startPostgres } from '../../../test/postgres-server.mjs'
import { runDurability } from '../dist/durability/run.js'

const { values } = parseArgs({ options: { cycles: { type: 'string', default: '50' } } })
const cycles = Number(values.cycles)
const postgres = await startPostgres()
let killed = 0
try {
  const result = await runDurability({
    cycles,
    store: await postgres.createDatabase('primo'),
    disturb: async (cycle) => {
      if (cycle % 5 !== 0) return
      killed++
      postgres.kill()
      await postgres.start()
      // The service finds its database again, under load.
      await new Promise((resolve) => setTimeout(resolve, 2000))
    },
    onCycle: (cycle, { decisions, rewards }) =>
      process.stderr.write(`${cycle}/${cycles} killed; ${decisions} decisions, ${rewards} rewards acknowledged\n`),
  })
  const { acknowledged, stored, lost, doubled, contradictions, policies, different, damaged } = result
  console.log(`service killed ${cycles} times, PostgreSQL ${killed} times`)
  console.log(`acknowledged ${acknowledged.decisions} decisions, ${acknowledged.rewards} rewards`)
  console.log(`stored ${stored.decisions} decisions, ${stored.rewards} rewards`)
  console.log(`lost ${lost.length}, doubled ${doubled.length}, contradicted ${contradictions.length}`)
  console.log(`${policies} policies learnt, ${different.length} differ from a replay of the log`)
  console.log(`damaged: ${damaged.length}`)
  const wrong = [...lost, ...doubled, ...contradictions, ...different, ...damaged]
  for (const line of wrong.slice(0, 20)) console.log(`  ${line}`)
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  await postgres.stop()
}
