import { createServer, type Server } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createClient } from './client.js'
import { problem, startedService } from './started-service.fixture.js'

const service = await startedService()
await createClient({ url: service.url }).define('p', problem)

/** A proxy in front of the service that can lose and delay what passes. */
async function proxy(disturb: (path: string, attempt: number) => 'pass' | 'lose-reply' | 'hang' | '503') {
  const attempts = new Map<string, number>()
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', async () => {
      const path = request.url ?? ''
      const attempt = (attempts.get(path) ?? 0) + 1
      attempts.set(path, attempt)
      const how = disturb(path, attempt)
      if (how === 'hang') return
      if (how === '503') {
        response.writeHead(503, { 'content-type': 'application/problem+json' })
        response.end(JSON.stringify({ code: 'overloaded', detail: 'later', status: 503 }))
        return
      }
      const answer = await fetch(`${service.url}${path}`, {
        method: request.method ?? 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(pieces),
      })
      if (how === 'lose-reply') {
        request.socket.destroy()
        return
      }
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(await answer.text())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const request = { context: { x: 0.5 }, covariates: { z: null } }

describe('the client', () => {
  test('decides and rewards', async () => {
    const client = createClient({ url: service.url })
    const decided = await client.decide('p', request, { default: 'a', deadline: 5000 })
    expect(decided.from).toBe('service')
    expect(await client.reward('p', decided.eventId, 1)).toMatchObject({ status: 'accepted' })
    expect(await client.explain('p', decided.eventId)).toMatchObject({ status: 'closed', reward: 1 })
  })

  test.each([{}, { batch: true }])('asks for a ranking as short as it wants, %j', async (how) => {
    const client = createClient({ url: service.url, ...how })
    const decide = async (ranking?: number) => {
      const decided = await client.decide('p', request, {
        default: 'a',
        deadline: 5000,
        ...(ranking === undefined ? {} : { ranking }),
      })
      return decided.from === 'service' ? decided.reply.ranking.length : decided.error
    }
    expect(await Promise.all([decide(0), decide(1), decide()])).toEqual([0, 1, 2])
  })

  test('plays the default when no answer comes in time, and voids what was decided', async () => {
    const slow = await proxy((path) => (path.endsWith('/decisions') ? 'hang' : 'pass'))
    // Nothing but the deadline ends the wait.
    const client = createClient({ url: slow.url, backoff: 10, timeout: 3_600_000 })
    const decided = await client.decide('p', request, { default: 'b', deadline: 150 })
    expect(decided).toMatchObject({ from: 'default', action: 'b', error: { code: 'unreachable' } })
    await client.settled()
    // It had not arrived: when it does, it is refused.
    const late = await createClient({ url: service.url }).decide(
      'p',
      { ...request, eventId: decided.eventId },
      { default: 'a', deadline: 5000 },
    )
    expect(late).toMatchObject({ from: 'default', error: { code: 'event-voided' } })
    slow.close()
  })

  test('voids a decision whose reply was lost: nothing is learnt from it', async () => {
    const lossy = await proxy((path) => (path.endsWith('/decisions') ? 'lose-reply' : 'pass'))
    const client = createClient({ url: lossy.url, backoff: 10, retries: 0 })
    const decided = await client.decide('p', request, { default: 'a', deadline: 2000 })
    expect(decided.from).toBe('default')
    await client.settled()
    expect(await createClient({ url: service.url }).explain('p', decided.eventId)).toMatchObject({ status: 'void' })
    lossy.close()
  })

  test('repeats a reward until it is taken, and it counts once', async () => {
    const flaky = await proxy((path, attempt) =>
      path.endsWith('/reward') && attempt <= 3 ? (attempt === 2 ? 'lose-reply' : '503') : 'pass',
    )
    const client = createClient({ url: flaky.url, backoff: 5 })
    const decided = await client.decide('p', request, { default: 'a', deadline: 5000 })
    // The second try was taken and its answer lost.
    expect(await client.reward('p', decided.eventId, 0.25)).toMatchObject({ status: 'duplicate' })
    const { rewards } = await createClient({ url: service.url }).explain('p', decided.eventId)
    expect(rewards).toHaveLength(1)
    flaky.close()
  })

  test('never throws, and says why a request was refused', async () => {
    const client = createClient({ url: service.url })
    const refused = await client.decide('p', { context: { x: 7 } }, { default: 'a', deadline: 5000 })
    expect(refused).toMatchObject({ from: 'default', action: 'a', error: { code: 'out-of-range', status: 422 } })
    const nowhere = createClient({ url: 'http://127.0.0.1:9', retries: 0, backoff: 1 })
    expect(await nowhere.decide('p', request, { default: 'b', deadline: 300 })).toMatchObject({ action: 'b' })
    await expect(client.reward('p', 'never-decided', 1)).rejects.toMatchObject({ code: 'unknown-decision' })
  })

  test('batches calls that are made together, each with its own answer', async () => {
    const paths: string[] = []
    const counted = await proxy((path) => {
      paths.push(path)
      return 'pass'
    })
    const client = createClient({ url: counted.url, batch: { size: 50, wait: 10 } })
    const decided = await Promise.all(
      Array.from({ length: 100 }, (_, k) =>
        client.decide('p', k === 13 ? { context: { x: 9 } } : request, { default: 'a', deadline: 5000 }),
      ),
    )
    expect(paths).toEqual(['/v1/problems/p/decisions/batch', '/v1/problems/p/decisions/batch'])
    expect(decided.map(({ from }) => from).filter((from) => from === 'default')).toHaveLength(1)
    expect(decided[13]).toMatchObject({ error: { code: 'out-of-range' } })
    const told = await Promise.all(decided.slice(0, 10).map(({ eventId }) => client.reward('p', eventId, 0.5)))
    expect(told.every(({ status }) => status === 'accepted')).toBe(true)
    counted.close()
  })
})
