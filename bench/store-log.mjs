// The decision log in and out of a store, by the commands that people use: primo import and primo export, on SQLite and on
// PostgreSQL. The exported rows must be those that were imported.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logHeader } from '@primo/lab'
import { writeLog } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { startPostgres } from '../test/postgres-server.mjs'

const ROWS = Number(process.env.PRIMO_LOG_ROWS ?? 100_000)
const bin = join(import.meta.dirname, '../apps/cli/bin/primo.js')

const header = logHeader({
  actions: ['low', 'medium', 'high'],
  context: { age: { type: 'number', min: 18, max: 95 }, smoker: { type: 'boolean' } },
  covariates: { genotype: { type: 'number', min: 0, max: 2 } },
  reward: { min: 0, max: 1 },
})

function* rows() {
  const random = Random.fromSeed(1)
  for (let round = 1; round <= ROWS; round++) {
    const seen = random.uniform() < 0.6
    yield {
      decisionId: `d-${round}`,
      eventId: `event ${round}`,
      time: 1_700_000_000_000 + 37 * round,
      round,
      action: header.actions[round % 3],
      propensity: 1 / 3,
      propensities: [1 / 3, 1 / 3, 1 / 3],
      reward: round % 11 === 0 ? null : random.uniform(),
      rewardStatus: round % 11 === 0 ? 'dropped' : 'closed',
      'context.age': 18 + 77 * random.uniform(),
      'context.smoker': random.uniform() < 0.2,
      'covariate.genotype': seen ? 2 * random.uniform() : null,
      'pretrained.genotype': 1 + random.uniform() / 2,
      'revealed.genotype': !seen && round % 5 === 0 ? 2 * random.uniform() : null,
    }
  }
}

/** The rows of a file; the header of an exported log also names its problem. */
const digest = (file) => {
  const lines = readFileSync(file, 'utf8').split('\n')
  const { log: _, ...first } = JSON.parse(lines[0])
  return createHash('sha256')
    .update([JSON.stringify(first), ...lines.slice(1)].join('\n'))
    .digest('hex')
}

export async function benchStoreLog() {
  const folder = mkdtempSync(join(tmpdir(), 'primo-store-log-'))
  const postgres = await startPostgres()
  try {
    const given = join(folder, 'given.jsonl')
    await writeLog(given, header, rows())
    for (const [name, store] of [
      ['SQLite', `sqlite:${join(folder, 'primo.db')}`],
      ['PostgreSQL', await postgres.createDatabase('store_log')],
    ]) {
      const out = join(folder, `${name}.jsonl`)
      const timed = (...args) => {
        const before = performance.now()
        execFileSync(process.execPath, [bin, ...args, '--store', store, '--problem', 'dose'], { stdio: 'ignore' })
        return Math.round(ROWS / ((performance.now() - before) / 1000)).toLocaleString('en')
      }
      const imported = timed('import', given)
      const exported = timed('export', '--out', out)
      const same = digest(out) === digest(given)
      if (!same) process.exitCode = 1
      console.log(
        `store log ${name.padEnd(10)} ${ROWS.toLocaleString('en')} rows: ${imported} rows/s in, ${exported} rows/s out, rows ${same ? 'are the same' : 'DIFFER'}`,
      )
    }
  } finally {
    await postgres.stop()
    rmSync(folder, { recursive: true })
  }
}
