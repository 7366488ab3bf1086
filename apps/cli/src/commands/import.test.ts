import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LogRow, logHeader } from '@primo/lab'
import { writeLog } from '@primo/lab/node'
import { expect, it } from 'vitest'
import { postgresInTests } from '../../../../test/postgres-in-tests.mjs'
import { primo, temporaryFolder } from '../primo.fixture.js'

const newDatabase = postgresInTests()

const header = logHeader({
  actions: ['low', 'high'],
  context: { place: { type: 'category', levels: ['tab\there', 'back\\slash'] } },
  covariates: { z: { type: 'number', min: 0, max: 1 } },
  reward: { min: 0, max: 1 },
})

function* rows(count: number): Generator<LogRow> {
  for (let k = 0; k < count; k++) {
    yield {
      decisionId: `d\n${k}`,
      action: header.actions[k % 2]!,
      propensity: 0.5,
      reward: k % 9 === 0 ? null : (k % 7) / 7,
      rewardStatus: k % 9 === 0 ? 'dropped' : 'closed',
      'context.place': k % 3 === 0 ? 'tab\there' : 'back\\slash',
      'covariate.z': k % 4 === 0 ? null : k / count,
      'pretrained.z': 0.5,
      'revealed.z': k % 8 === 0 ? k / count : null,
    }
  }
}

/** Without the header, which also names the problem where it was exported. */
const rowsIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { log: _, ...row } = JSON.parse(line)
      return row
    })

it('a log goes into PostgreSQL once and comes out as it was', async (context) => {
  const store = ['--store', await newDatabase(context, 'logs'), '--problem', 'dose', '--json']
  const given = join(temporaryFolder(), 'given.jsonl')
  const out = join(temporaryFolder(), 'out.jsonl')
  await writeLog(given, header, rows(1300))
  const told = async (...args: string[]) => JSON.parse((await primo(...args, ...store)).stdout)
  expect(await told('import', given)).toMatchObject({ imported: 1300, known: 0 })
  expect(await told('import', given)).toMatchObject({ imported: 0, known: 1300 })
  expect(await told('export', '--out', out)).toMatchObject({ rows: 1300 })
  expect(rowsIn(out)).toEqual(rowsIn(given))
}, 60_000)
