// Months that are over go into files, once; store and archive together are the whole log, also where retention has been.

import { execFileSync, spawn } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLog } from '@primo/lab/log'
import { expect, onTestFinished, test, vi } from 'vitest'
import { primo } from '../primo.fixture.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'primo-archive-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const DAY = 86_400_000
const MARCH = Date.UTC(2026, 2, 10)

/** Makes a store with decisions of March, April and May, the last of May without its reward: in a process, as its threads are built files. */
const THREE_MONTHS = `
import { startService } from '${new URL('../../../service/dist/index.js', import.meta.url)}'
const begins = Number(process.argv[3])
const time = { now: begins }
const options = { port: 0, logLevel: 'silent', storeOptions: { clock: () => time.now }, tickEvery: 0 }
const service = await startService({ store: process.argv[2], ...options })
const days = Number(process.argv[4] ?? 0)
const send = async (method, to, body) => {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(service.url + '/v1/problems/p' + to, { method, headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(await reply.text())
  return reply.json()
}
await send('PUT', '', {
  context: { x: { type: 'number', min: 0, max: 1 } },
  covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
  ...(days === 0 ? {} : { retention: { days } }),
})
for (let k = 0; k < 15; k++) {
  time.now = begins + Math.floor(k / 5) * 31 * ${DAY} + k
  const { decisionId } = await send('POST', '/decisions', { context: { x: k / 15 }, covariates: { z: 0.25 } })
  if (k < 14) await send('POST', '/decisions/' + decisionId + '/reward', { value: 1 })
}
// Retention waits for a fit that runs.
while (days > 0 && !((await service.store.problem('p')).book.kept > 0)) {
  await service.host.tick()
  await new Promise((resolve) => setTimeout(resolve, 5))
}
if (days === 0) await service.close()
else console.log('it runs')
`

function threeMonths(path: string, begins = MARCH): string {
  const store = `sqlite:${path}/store.db`
  const script = join(path, 'three-months.mjs')
  writeFileSync(script, THREE_MONTHS)
  execFileSync(process.execPath, [script, store, String(begins)])
  return store
}

test('a store that a service has open is archived, for its owner alone, with what retention took', {
  timeout: 120_000,
}, async () => {
  const path = folder()
  const store = `sqlite:${path}/store.db`
  const script = join(path, 'three-months.mjs')
  writeFileSync(script, THREE_MONTHS)
  // All of March is older than 40 days at the last decision.
  const service = spawn(process.execPath, [script, store, String(MARCH), '40'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void service.kill())
  await once(service.stdout, 'data')
  const out = join(path, 'cold')
  const args = ['archive', '--store', store, '--problem', 'p', '--out', out, '--before', '2026-07-01']
  const { stdout, stderr, code } = await primo(...args)
  expect(code, stderr).toBe(0)
  expect(stdout).toContain('wrote 5 decisions')
  expect(stdout).toContain('5 decisions before them are missing: retention removed them')
  expect(JSON.parse(readFileSync(join(out, 'archive.json'), 'utf8')).files).toMatchObject([
    { file: '2026-04.parquet', rows: 5, lastRound: 10, missing: 5 },
  ])
  for (const file of readdirSync(out)) expect([file, statSync(join(out, file)).mode & 0o777]).toEqual([file, 0o600])
  expect(statSync(out).mode & 0o777).toBe(0o700)
})

async function roundsOf(path: string): Promise<number[]> {
  const rounds: number[] = []
  for await (const { round } of (await openLog(path)).rows()) rounds.push(round as number)
  return rounds
}

const upTo = (count: number) => Array.from({ length: count }, (_, k) => k + 1)

test('months that are over and final are written once, and read as one log', { timeout: 120_000 }, async () => {
  const path = folder()
  const store = threeMonths(path)
  const cold = join(path, 'cold')
  const archive = async (before: string) =>
    JSON.parse(
      (await primo('archive', '--store', store, '--problem', 'p', '--out', cold, '--before', before, '--json')).stdout,
    ) as { files: { file: string; rows: number }[] }
  expect((await archive('2026-04-01')).files).toMatchObject([{ file: '2026-03.parquet', rows: 5 }])
  // A round of May is open.
  expect((await archive('2026-07-01')).files).toMatchObject([{ file: '2026-04.parquet', rows: 5 }])
  expect((await archive('2026-07-01')).files).toEqual([])
  expect(await roundsOf(cold)).toEqual(upTo(10))
  const whole = join(path, 'whole.parquet')
  await primo('export', '--store', store, '--problem', 'p', '--archive', cold, '--out', whole)
  const alone = join(path, 'alone.parquet')
  await primo('export', '--store', store, '--problem', 'p', '--out', alone)
  expect(readFileSync(whole)).toEqual(readFileSync(alone))
})

test('a month that is not over is not written, whatever date is given', { timeout: 120_000 }, async () => {
  const path = folder()
  const store = threeMonths(path, Date.now())
  const out = join(path, 'cold')
  const args = ['archive', '--store', store, '--problem', 'p', '--out', out, '--before', '2999-01-01', '--json']
  expect(JSON.parse((await primo(...args)).stdout)).toEqual({ problem: 'p', files: [] })
})

test('a place that cannot be had is said, and the command ends', { timeout: 120_000 }, async () => {
  const path = folder()
  const store = threeMonths(path)
  const given = ['--store', store, '--problem', 'p']
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined)
  const archived = await primo('archive', ...given, '--out', 's3://bucket')
  expect(archived).toMatchObject({ code: 2, stderr: expect.stringContaining('AWS_ACCESS_KEY_ID') })
  const wrong = join(path, 'clod')
  const exported = await primo('export', ...given, '--archive', wrong, '--out', join(path, 'whole.jsonl'))
  const trained = await primo('train', ...given, '--archive', wrong)
  for (const one of [exported, trained])
    expect(one).toMatchObject({ code: 2, stderr: expect.stringContaining('--archive must be a folder that is') })
  expect(existsSync(wrong)).toBe(false)
})

test('an object storage gets signed files and gives them back', { timeout: 120_000 }, async () => {
  const path = folder()
  const store = threeMonths(path)
  const kept = new Map<string, Buffer>()
  const server = createServer(async (request, reply) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces)
    if (request.headers.authorization !== signatureOf(request.method!, request.url!, request.headers, body)) {
      reply.writeHead(403).end('SignatureDoesNotMatch')
      return
    }
    const found = kept.get(request.url!)
    if (request.method === 'PUT') kept.set(request.url!, body)
    else if (found === undefined) reply.statusCode = 404
    reply.end(request.method === 'PUT' ? '' : found)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.stubEnv('AWS_REGION', 'eu-north-1')
  const place = 's3://bucket/cold/p'
  const archived = await primo(
    ...['archive', '--store', store, '--problem', 'p', '--out', place, '--before', '2026-07-01'],
  )
  expect(archived.code, archived.stderr).toBe(0)
  expect([...kept.keys()].sort()).toEqual(
    ['2026-03.parquet', '2026-04.parquet', 'archive.json'].map((name) => `/bucket/cold/p/${name}`),
  )
  const whole = join(path, 'whole.jsonl')
  await primo('export', '--store', store, '--problem', 'p', '--archive', place, '--out', whole)
  expect(await roundsOf(whole)).toEqual(upTo(15))
})

/** What Amazon's documents say a signature is, step by step. */
function signatureOf(method: string, path: string, headers: NodeJS.Dict<string | string[]>, body: Buffer): string {
  const date = String(headers['x-amz-date'])
  const content = createHash('sha256').update(body).digest('hex')
  const listed = ['host', 'x-amz-content-sha256', 'x-amz-date']
  const canonical = `${method}\n${path}\n\n${listed.map((name) => `${name}:${headers[name]}\n`).join('')}\n${listed.join(';')}\n${content}`
  const scope = `${date.slice(0, 8)}/eu-north-1/s3/aws4_request`
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`
  const mac = (key: string | Buffer, value: string) => createHmac('sha256', key).update(value).digest()
  const key = mac(mac(mac(mac('AWS4secret', date.slice(0, 8)), 'eu-north-1'), 's3'), 'aws4_request')
  const signature = mac(key, text).toString('hex')
  return `AWS4-HMAC-SHA256 Credential=id/${scope}, SignedHeaders=${listed.join(';')}, Signature=${signature}`
}
