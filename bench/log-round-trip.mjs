// A million log rows through JSONL, Parquet and CSV and back: every cell compared with what was written, to the last bit,
// and the most memory that was held. Exits with 1 when a cell differs or the memory passes the limit.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logColumns, logHeader } from '@primo/lab'
import { openLog, writeLog } from '@primo/lab/node'
import { Random } from '@primo/numeric'

const ROWS = Number(process.env.PRIMO_LOG_ROWS ?? 1_000_000)
const LIMIT = 500

const header = logHeader({
  actions: ['low', 'medium', 'high'],
  context: {
    age: { type: 'number', min: 18, max: 95 },
    smoker: { type: 'boolean' },
    region: { type: 'category', levels: ['north', 'south'] },
  },
  covariates: { genotype: { type: 'number', min: 0, max: 2 } },
  reward: { min: 0, max: 1 },
})

function* rows() {
  const random = Random.fromSeed(1)
  for (let round = 1; round <= ROWS; round++) {
    const seen = random.uniform() < 0.6
    const propensities = [random.uniform(), random.uniform(), random.uniform()]
    const total = propensities[0] + propensities[1] + propensities[2]
    for (let a = 0; a < 3; a++) propensities[a] /= total
    const action = round % 3
    const late = !seen && random.uniform() < 0.1
    yield {
      decisionId: `d-${round}`,
      eventId: round % 5 === 0 ? '' : `event ${round}`,
      time: 1_700_000_000_000 + 37 * round,
      round,
      epoch: Math.ceil(Math.log2(round + 1)),
      policyVersion: Math.ceil(Math.log2(round + 1)) - 1,
      mode: 'active',
      holdout: round % 100 === 0,
      action: header.actions[action],
      propensity: propensities[action],
      propensities,
      eligible: round % 7 === 0 ? ['low', 'high'] : null,
      reward: round % 11 === 0 ? null : round % 13 === 0 ? -0 : random.uniform(),
      rewardStatus: round % 11 === 0 ? 'dropped' : 'closed',
      'context.age': 18 + 77 * random.uniform(),
      'context.smoker': random.uniform() < 0.2,
      'context.region': random.uniform() < 0.5 ? 'north' : 'south',
      'covariate.genotype': seen ? 2 * random.uniform() : null,
      'pretrained.genotype': 1 + 0.1 * random.normal(),
      'imputed.genotype': seen ? null : 1 + 0.1 * random.normal(),
      'status.genotype': seen ? 'observed' : 'imputed',
      'source.genotype': seen ? 'request' : 'calibrated',
      'observedAt.genotype': seen ? 'decision' : late ? 'later' : null,
      'revealed.genotype': late ? 2 * random.uniform() : null,
    }
  }
}

function same(a, b) {
  if (!Array.isArray(a)) return Object.is(a ?? null, b ?? null)
  return Array.isArray(b) && a.length === b.length && a.every((value, k) => Object.is(value, b[k]))
}

export async function benchLog() {
  const folder = mkdtempSync(join(tmpdir(), 'primo-log-'))
  const columns = logColumns(header).map(({ name }) => name)
  let failed = false
  try {
    for (const format of ['parquet', 'jsonl', 'csv']) {
      const file = join(folder, `log.${format}`)
      const start = performance.now()
      await writeLog(file, header, rows())
      const written = performance.now()
      const truth = rows()
      let read = 0
      let different = 0
      for await (const row of (await openLog(file)).rows()) {
        const expected = truth.next().value
        read++
        for (const name of columns) if (!same(expected?.[name], row[name])) different++
      }
      if (read !== ROWS || truth.next().done !== true) different++
      failed ||= different > 0
      const seconds = (ms) => (ms / 1000).toFixed(1).padStart(5)
      console.log(
        `log ${format.padEnd(7)} ${read.toLocaleString('en')} rows, ${(statSync(file).size / 1e6).toFixed(0).padStart(4)} MB: written in ${seconds(written - start)} s, read and compared in ${seconds(performance.now() - written)} s, ${different} cells differ`,
      )
      rmSync(file)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  const peak = process.resourceUsage().maxRSS / 1024
  console.log(`log most memory: ${peak.toFixed(0)} MB (limit ${LIMIT})`)
  if (failed || peak > LIMIT) process.exitCode = 1
}
