import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRawStore, openRestore, openStore, repairStore, verifyStore } from '../../dist/index.js'
import { openDatabase } from '../../dist/store/sqlite/database.js'
import { temporaryFolder } from '../running.fixture.js'
import { decide, define, reward } from '../store/store.suite.js'
import { learntStore } from './learnt-store.fixture.js'

async function repaired(from: string, to: string) {
  const source = await openRawStore(from)
  const target = await openRestore(to)
  try {
    return await repairStore(source, target)
  } finally {
    await target.close()
    await source.close()
  }
}

async function damageOf(address: string) {
  const store = await openRawStore(address)
  try {
    return await verifyStore(store)
  } finally {
    await store.close()
  }
}

test('a whole store is taken as it is', async () => {
  const service = await learntStore()
  const rows = await service.service().store.problems()
  const read = async (address: string) => {
    const store = await openStore(address)
    const all = []
    for (const { name } of await store.problems()) {
      const row = (await store.problem(name))!
      all.push(row.book, await store.readLog(row.id, 0, 10_000), await store.snapshots(row.id))
      all.push(await store.readDecisions(row.id, row.version, 0, 10_000))
    }
    await store.close()
    return JSON.stringify(all)
  }
  await service.close()
  const [from, to] = [`sqlite:${service.folder}/primo.db`, `sqlite:${service.folder}/new.db`]
  expect(await repaired(from, to)).toMatchObject({ problems: rows.length, decisions: 130, left: [] })
  expect(await damageOf(to)).toMatchObject({ decisions: 130, otherVersion: [], beyond: [], damage: [] })
  expect(await read(to)).toBe(await read(from))
  await expect(openRestore(to)).rejects.toThrow(/must not be there yet/)
})

test('damaged records, decisions and policies are left out and listed; the rest decides on', async () => {
  const service = await learntStore()
  await service.close()
  const path = join(service.folder, 'primo.db')
  const db = openDatabase(path)
  const lost = db
    .prepare(
      "select seq, json_extract(body, '$.eventId') as event from log where problem = 1 and kind = 'decision' limit 1 offset 7",
    )
    .get() as never as { seq: number; event: string }
  db.exec(`update log set body = replace(body, '0.', '0.1') where problem = 1 and seq = ${lost.seq}`)
  db.exec("update rounds set state = 'open' where problem = 1 and event_id = 'e20'")
  const { newest } = db.prepare('select max(version) as newest from snapshots where problem = 1').get() as never as {
    newest: number
  }
  db.exec(`update snapshots set report = report || ' ' where problem = 1 and version = ${newest}`)
  db.close()
  const to = `sqlite:${service.folder}/new.db`
  const { left, decisions } = await repaired(`sqlite:${path}`, to)
  expect(decisions).toBe(129)
  const details = left.map(({ problem, detail }) => `${problem} ${detail}`)
  expect(details).toContain(`p record ${lost.seq}`)
  expect(details).toContain(`p policy ${newest} of version 1`)
  expect(details).toContain(`p decides with policy ${newest - 1} from here on`)
  expect(details.filter((detail) => /its decision is gone/.test(detail)).length).toBeGreaterThan(0)
  expect(await damageOf(to)).toMatchObject({ problems: 2, decisions: 129, damage: [] })
  const store = await openStore(to)
  expect(store.damage()).toEqual([])
  const outcomes = await store.commit([
    reward('p', 'e20', 0.5, 'other'),
    { ...decide('p', 'new', lost.event), revision: (await store.problem('p'))!.revision },
  ])
  // e20 was closed, and is again; the event of the lost decision is free.
  expect(outcomes).toMatchObject([{ error: 'reward-conflict' }, { duplicate: false }])
  await store.close()
})

test('pages that cannot be read, and a log that lost its end', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'p.db')
  const note = Buffer.from(`,"note":"${'n'.repeat(3000)}"`)
  const large = (id: string) => {
    const given = decide('p', id, `e-${id}`)
    return { ...given, record: Buffer.concat([given.record, note]) }
  }
  const store = await openStore(`sqlite:${path}`)
  await store.commit([define('p')])
  await store.commit(Array.from({ length: 400 }, (_, k) => large(`d-${k}`)))
  await store.close()
  const again = await openStore(`sqlite:${path}`)
  for (let k = 400; k < 420; k++) await again.commit([large(`d-${k}`)])
  const log = readFileSync(`${path}-wal`)
  const bytes = readFileSync(path)
  const heads = readFileSync(`${path}-head`)
  await again.close()
  // As a killed process leaves it, with a cut log and pages of zeros.
  const broken = join(folder, 'broken.db')
  writeFileSync(broken, bytes.fill(0, 100 * 8192, 104 * 8192))
  writeFileSync(`${broken}-wal`, log)
  truncateSync(`${broken}-wal`, Math.floor(log.length / 2))
  writeFileSync(`${broken}-head`, heads)
  const opened = await openStore(`sqlite:${broken}`)
  expect(opened.damage().map(({ detail }) => detail)).toContainEqual(expect.stringMatching(/acknowledged last is gone/))
  expect(await opened.commit([decide('p', 'x')])).toMatchObject([{ error: 'store-damaged' }])
  await opened.close()
  expect(existsSync(`${broken}-wal-damaged`)).toBe(true)
  const { left, decisions } = await repaired(`sqlite:${broken}`, `sqlite:${folder}/new.db`)
  expect(decisions).toBeGreaterThan(380)
  expect(decisions).toBeLessThan(420)
  const details = left.map(({ detail }) => detail)
  expect(details).toContainEqual(expect.stringMatching(/^log after row \d+ cannot be read/))
  expect(details).toContainEqual(expect.stringMatching(/acknowledged up to 421/))
  const whole = await openStore(`sqlite:${folder}/new.db`)
  expect(whole.damage()).toEqual([])
  const revision = (await whole.problem('p'))!.revision
  expect(
    await whole.commit([
      { ...large('d-0'), id: 'again' },
      { ...large('more'), revision },
    ]),
  ).toMatchObject([{ duplicate: true }, { duplicate: false }])
  await whole.close()
})
