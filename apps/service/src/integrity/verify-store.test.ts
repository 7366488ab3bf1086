import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRawStore, replayProblem, verifyStore } from '../../dist/index.js'
import { entryChecksum, snapshotChecksum, stateChecksum } from '../../dist/ledger/checksums.js'
import { openDatabase } from '../../dist/store/sqlite/database.js'
import { type Running, temporaryFolder } from '../running.fixture.js'
import { learntStore } from './learnt-store.fixture.js'

const verified = async ({ folder }: Running) => {
  const store = await openRawStore(`sqlite:${folder}/primo.db`)
  try {
    return await verifyStore(store)
  } finally {
    await store.close()
  }
}

const details = (damage: readonly { detail: string }[]) => damage.map(({ detail }) => detail)

test('a whole store passes, also while a service runs; what was changed with its checksum is found by deciding and learning again', async () => {
  const service = await learntStore()
  const whole = await verified(service)
  expect(whole).toMatchObject({ problems: 2, decisions: 130, propensities: 130, otherVersion: [], damage: [] })
  expect(whole.policies).toBeGreaterThan(1)
  await service.close()
  expect((await verified(service)).damage).toEqual([])

  const db = openDatabase(join(service.folder, 'primo.db'))
  // A propensity, written with a checksum that fits it.
  const raw = db
    .prepare("select * from log where problem = 1 and kind = 'decision' and seq > 20 limit 1")
    .get() as never as {
    problem: number
    seq: number
    time: number
    kind: 'decision'
    round: number
    body: string
  }
  const body = raw.body.replace(/"propensity":0\.\d/g, '"propensity":0.9')
  expect(body).not.toBe(raw.body)
  const update = db.prepare('update log set body = ?, checksum = ? where problem = 1 and seq = ?')
  update.run(body, entryChecksum({ ...raw, body }), raw.seq)
  const found = details((await verified(service)).damage)
  expect(found).toContainEqual(expect.stringMatching(/^the action or propensities of decision/))
  expect(found).toContainEqual(expect.stringMatching(/^log: rows are gone, changed or too many/))
  db.close()
})

test('a policy that comes out otherwise is different, unless another version of Primo fitted it', async () => {
  const service = await learntStore()
  await service.close()
  const db = openDatabase(join(service.folder, 'primo.db'))
  const fitted = db.prepare('select * from snapshots where problem = 1 and version = 2').get() as never as Record<
    string,
    number
  > & {
    state: string
    report: string
    software: string
  }
  const state = fitted.state.replace(/"gamma":\d/, '"gamma":9')
  expect(state).not.toBe(fitted.state)
  const write = (software: string) => {
    const { problem, problem_version: problemVersion, version, epoch, cut, time } = fitted as Record<string, number>
    const numbers = {
      problem: problem!,
      problemVersion: problemVersion!,
      version: version!,
      epoch: epoch!,
      cut: cut!,
      time: time!,
    }
    const ofState = stateChecksum(state)
    const checksum = snapshotChecksum({ ...numbers, report: fitted.report, software, stateChecksum: ofState })
    db.prepare(
      'update snapshots set state = ?, software = ?, state_checksum = ?, checksum = ? where problem = 1 and version = 2',
    ).run(state, software, ofState, checksum)
  }
  const replayed = async () => {
    const store = await openRawStore(`sqlite:${service.folder}/primo.db`)
    const result = await replayProblem(store, 'p')
    await store.close()
    return result
  }
  expect(await replayed()).toMatchObject({ different: [], otherVersion: [] })
  write(fitted.software)
  expect(await replayed()).toMatchObject({ different: ['1/2'], otherVersion: [] })
  write('0.0.9')
  expect(await replayed()).toMatchObject({ different: [], otherVersion: ['1/2'] })
  expect(await verified(service)).toMatchObject({ otherVersion: ['p 1/2'] })
  db.close()
})

test('a store that is not there is refused, and none is made', async () => {
  const path = join(temporaryFolder(), 'typo.db')
  await expect(openRawStore(`sqlite:${path}`)).rejects.toThrow(`the file ${path} must be there, got none`)
  expect(existsSync(path)).toBe(false)
})
