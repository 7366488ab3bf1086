// What the page asks for: parts of the history, the list of decisions, operations, the overview, one stream for many problems.

import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type {
  DecisionList,
  DecisionReply,
  Evaluation,
  History,
  HistoryBucket,
  OperationList,
  Overview,
  PageSettings,
} from '@primo/contract'
import { describe, expect, test } from 'vitest'
import { dice } from '../dice.fixture.js'
import { running, START, smallProblem } from '../running.fixture.js'

describe('what the page asks for', async () => {
  const service = await running()
  const { ok, call, clock } = service
  await ok('PUT', '/v1/problems/p', smallProblem({ guards: { holdout: 0.2, baseline: 'b' } }))
  await ok('PUT', '/v1/problems/q', smallProblem())
  const draw = dice(5).next
  const decide = async (count: number) => {
    for (let i = 0; i < count; i++) {
      clock.now += 400
      const request = { context: { x: draw() }, covariates: { z: draw() < 0.5 ? null : draw() } }
      const { decisionId } = await ok<DecisionReply>('POST', '/v1/problems/p/decisions', request)
      if (draw() < 0.7) await ok('POST', `/v1/problems/p/decisions/${decisionId}/reward`, { value: draw() })
    }
  }
  await decide(120)
  const list = (query: string) => ok<DecisionList>('GET', `/v1/problems/p/decisions?${query}`)

  test('a history since a cursor has what changed, and makes the whole one', async () => {
    for (const range of ['all', 'recent'] as const) {
      const path = `/v1/problems/p/history?range=${range}`
      const before = await ok<History>('GET', path)
      expect(before.partial).toBe(false)
      const still = await ok<History>('GET', `${path}&since=${before.cursor}`)
      expect(still).toMatchObject({ partial: true, buckets: [], latest: [] })
      await decide(6)
      const part = await ok<History>('GET', `${path}&since=${before.cursor}`)
      const after = await ok<History>('GET', path)
      expect(part.partial).toBe(true)
      expect(part.buckets.length).toBeLessThan(after.buckets.length / 3)
      expect(part.latest).toEqual(after.latest.slice(0, 6))
      const merged = new Map<number, HistoryBucket>(before.buckets.map((bucket) => [bucket.time, bucket]))
      for (const bucket of part.buckets) merged.set(bucket.time, bucket)
      expect([...merged.values()].filter(({ time }) => time >= part.from!)).toEqual(after.buckets)
      expect((await ok<History>('GET', `${path}&since=elsewhere.1`)).partial).toBe(false)
    }
  })

  test('the list of decisions is that of the log, filtered and in parts', async () => {
    const rows = await logRows('')
    const newest = await list('limit=500')
    expect(newest.decisions.map(({ decisionId }) => decisionId)).toEqual(
      rows.map(({ decisionId }) => decisionId).reverse(),
    )
    const filters: readonly [string, (row: Record<string, unknown>) => boolean][] = [
      ['action=a', (row) => row.action === 'a'],
      ['missing=z', (row) => row['covariate.z'] == null],
      ['missing=none', (row) => row['covariate.z'] != null],
      ['source=request', (row) => row['source.z'] === 'request'],
      ['holdout=true', (row) => row.holdout === true],
      ['status=open', (row) => row.rewardStatus === 'open'],
      [
        `from=${START + 9000}&to=${START + 20_000}`,
        ({ time }) => Number(time) >= START + 9000 && Number(time) < START + 20_000,
      ],
      [
        'action=b&status=closed&missing=any',
        (row) => row.action === 'b' && row.rewardStatus === 'closed' && row['covariate.z'] == null,
      ],
    ]
    for (const [query, test] of filters) {
      const expected = rows.filter(test).map(({ decisionId }) => decisionId)
      expect(expected.length).toBeGreaterThan(0)
      expect((await list(`limit=500&${query}`)).decisions.map(({ decisionId }) => decisionId)).toEqual(
        expected.slice().reverse(),
      )
      expect((await logRows(`&${query}`)).map(({ decisionId }) => decisionId)).toEqual(expected)
      const parts: string[] = []
      for (let next: number | null = 1e9; next !== null; ) {
        const part: DecisionList = await list(`limit=7&before=${next}&${query}`)
        parts.push(...part.decisions.map(({ decisionId }) => decisionId))
        next = part.next
      }
      expect(parts).toEqual(expected.slice().reverse())
    }
    expect((await call('GET', '/v1/problems/p/decisions?status=none')).status).toBe(400)
  })

  async function logRows(query: string): Promise<Record<string, unknown>[]> {
    const { text } = await call('GET', `/v1/problems/p/log?format=jsonl${query}`)
    const lines = text.split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line)).filter((row) => typeof row.decisionId === 'string')
  }

  test('operations are listed with their times', async () => {
    clock.now += 1000
    await ok('POST', '/v1/problems/p/freeze', {})
    await ok('POST', '/v1/problems/p/unfreeze', {})
    const { complete, operations } = await ok<OperationList>('GET', '/v1/problems/p/operations')
    expect(complete).toBe(true)
    expect(operations.map(({ operation }) => operation)).toEqual(['unfreeze', 'freeze', 'define'])
    expect(operations[0]).toMatchObject({ time: clock.now, by: null })
    expect(operations[2]).toMatchObject({ time: START, begins: true, version: 1, kill: false })
  })

  test('one answer has all problems, each with its summary and how it went', async () => {
    const { problems } = await ok<Overview>('GET', '/v1/overview')
    expect(problems.map(({ problem }) => problem)).toEqual(['p', 'q'])
    const [p, q] = problems
    expect(p!.summary).toEqual(await service.summary('p'))
    const { points, hour } = p!.trend
    expect(points.reduce((sum, { decisions }) => sum + decisions, 0)).toBe(p!.summary.decisions)
    expect(points.length).toBeLessThanOrEqual(32)
    expect(hour).toMatchObject({ decisions: p!.summary.decisions, reward: expect.closeTo(p!.summary.reward.mean!, 12) })
    expect(hour.baseline).toBeGreaterThan(0.2)
    expect(hour.baseline).toBeLessThan(0.8)
    expect(q!.trend).toMatchObject({ points: [], hour: { decisions: 0, reward: null, baseline: null } })
  })

  test('an evaluation looks at its period', async () => {
    const to = START + 20_000
    const { decisions } = await list(`limit=500&to=${to}&status=closed`)
    const { rows, leftOut } = await ok<Evaluation>('POST', '/v1/problems/p/evaluations', {
      policies: ['uniform'],
      to,
      replicates: 0,
    })
    expect(rows).toBe(decisions.length)
    expect(rows + Object.values(leftOut).reduce((a, b) => a + b, 0)).toBe(
      (await list(`limit=500&to=${to}`)).decisions.length,
    )
  })

  test('readers get compressed answers where they take them', async () => {
    const inject = (url: string, encoding: string) =>
      service.service().server.inject({ url, headers: { 'accept-encoding': encoding } })
    const path = '/v1/problems/p/history'
    const plain = await inject(path, 'identity')
    const zipped = await inject(path, 'deflate, gzip')
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(zipped.headers.vary).toBe('accept-encoding')
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body)
    expect(zipped.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
    expect((await inject(path, 'gzip;q=0, br')).headers['content-encoding']).toBe('br')
    expect((await inject('/livez', 'br')).headers).not.toHaveProperty('content-encoding')
  })

  test('one stream tells of several problems, compressed too', async () => {
    await service
      .service()
      .server.listen({ port: 0 })
      .catch(() => undefined)
    for (const encoding of ['identity', 'gzip']) {
      const stop = new AbortController()
      const reply = await fetch(`${service.service().url}/v1/events?problems=p,nowhere,q`, {
        headers: { 'accept-encoding': encoding },
        signal: stop.signal,
      })
      expect(reply.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
      const seen = new Set<string>()
      let text = ''
      for await (const bytes of reply.body as unknown as AsyncIterable<Uint8Array>) {
        text += new TextDecoder().decode(bytes)
        for (const [, name] of text.matchAll(/"problem":"(\w)"/g)) seen.add(name!)
        if (seen.size === 2) break
      }
      stop.abort()
      expect(text).toContain('event: summary')
    }
    expect((await call('GET', '/v1/events?problems=nowhere')).status).toBe(404)
  })
})

test('the page learns whose key it was given', async () => {
  const hash = createHash('sha256').update('s').digest('hex')
  const { call } = await running({ keys: [{ role: 'read', hash }] })
  const settings = async (headers: Record<string, string>) =>
    (await call<PageSettings>('GET', '/page/settings', undefined, headers)).body
  expect(await settings({})).toEqual({ keys: true, comparison: false, holder: null })
  expect(await settings({ authorization: 'Bearer wrong' })).toMatchObject({ holder: null })
  expect(await settings({ authorization: 'Bearer s' })).toMatchObject({ holder: { roles: ['read'], problems: null } })
})
