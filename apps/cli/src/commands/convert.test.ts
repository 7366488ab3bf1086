import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { primo, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()

test('primo convert writes a log that primo doctor reads, and says what is not kept', async () => {
  const file = join(folder, 'all.csv')
  const rows = Array.from(
    { length: 60 },
    (_, k) => `${k},2019-11-24 00:00:${10 + (k % 50)},${k % 2},1,${k % 3 === 0 ? 1 : 0},0.5,u${k % 4}`,
  )
  writeFileSync(file, `,timestamp,item_id,position,click,propensity_score,user_feature_0\n${rows.join('\n')}\n`)
  const out = join(folder, 'log.jsonl')
  const { code, stdout } = await primo('convert', file, '--from', 'obd', '--out', out)
  expect(code).toBe(0)
  expect(stdout).toContain('60 decisions among 2 actions, 2 context features.')
  expect(stdout).toContain('not kept: ')
  const looked = await primo('doctor', out)
  expect([looked.code, looked.stdout.split('\n')[0]]).toEqual([0, '60 rows: nothing stands out.'])
})

test('refuses a format that it does not know', async () => {
  const { code, stderr } = await primo('convert', 'x', '--from', 'csv', '--out', 'y.jsonl')
  expect([code, stderr]).toEqual([2, 'primo: --from must be one of dsjson, obd, got "csv"\n'])
})
