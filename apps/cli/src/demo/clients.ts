// Simulated clients of one problem: they decide in small batches, report rewards late, answer audits later still, and go on
// where an earlier run stopped. Shadow baselines get the same rewards with the same delays, and their fits take no time; so that none
// is counted against the live service either, the clients wait while it fits.

import type { DecisionBatchReply, DecisionReply, RewardBatchReply } from '@primo/contract'
import { deriveKey, drawOf, seedKey } from '@primo/numeric'
import type { DemoProblem } from './demo-problem.js'
import type { LiveErrors } from './live-errors.js'
import type { LiveRegret } from './live-regret.js'
import { regretOf, roundOf, type Stream } from './stream.js'

export interface ClientsOptions {
  readonly url: string
  readonly problem: DemoProblem
  readonly stream: Stream
  readonly seed: number
  readonly live: LiveRegret
  readonly errors: LiveErrors
  /** Whether the service is fitting now. */
  readonly fitting: () => Promise<boolean>
  /** Decisions per second after so many rounds; Infinity: as fast as it goes. */
  readonly pace: (rounds: number) => number
  /** Stops after so many rounds of the stream. */
  readonly until: number
  readonly signal: AbortSignal
}

export interface Waiting {
  readonly id: string
  readonly round: number
  readonly action: string
  readonly ask: boolean
}

const BATCHES_PER_SECOND = 8
const LARGEST_BATCH = 100
/** A batch is decided by one policy: it is at most this share of the rounds so far. */
const BATCH_SHARE = 1 / 20
/** Milliseconds that clients wait for a fit: one that fails goes on without them. */
const PATIENCE = 60_000
/** Truths come back this many times later than rewards. */
const REVEAL_LATER = 3

export async function runClients(options: ClientsOptions, unfinished: readonly Waiting[]): Promise<void> {
  const { url, problem, stream, live, errors, signal } = options
  const base = `${url}/v1/problems/${problem.name}`
  const { actions } = stream.problem
  const lostKey = deriveKey(seedKey(options.seed), 'lost')
  const answerKey = deriveKey(seedKey(options.seed), 'answer')
  const due = new Map<number, (() => Promise<unknown> | { id: string; value: number })[]>()
  const later = (at: number, what: () => Promise<unknown> | { id: string; value: number }) => {
    const list = due.get(at)
    if (list === undefined) due.set(at, [what])
    else list.push(what)
  }

  /** What will come back for a decision, and when. */
  function expect({ id, round, action, ask }: Waiting, now: number): void {
    const { delay, rewards, truth, request } = stream.round(round)
    const event = request.eventId!
    if (drawOf(lostKey, event) >= problem.lost) {
      const value = rewards[actions.indexOf(action)]!
      later(Math.max(now, round + delay), () => ({ id, value }))
    }
    if (ask && drawOf(answerKey, event) < problem.answered) {
      const report = { covariates: { [stream.covariate]: truth } }
      later(Math.max(now, round + REVEAL_LATER * delay), () => call(`${base}/decisions/${id}/reveal`, report, signal))
    }
  }

  /** Sends what is due by this round. */
  async function deliver(before: number, now: number): Promise<void> {
    const rewards: { id: string; value: number }[] = []
    const others: Promise<unknown>[] = []
    for (let at = before; at <= now; at++) {
      for (const what of due.get(at) ?? []) {
        const sent = what()
        if (sent instanceof Promise) others.push(sent)
        else rewards.push(sent)
      }
      due.delete(at)
    }
    for (let from = 0; from < rewards.length; from += 1000) {
      const body = { rewards: rewards.slice(from, from + 1000) }
      await call<RewardBatchReply>(`${base}/rewards/batch`, body, signal)
    }
    await Promise.all(others)
  }

  for (const waiting of unfinished) expect(waiting, live.rounds)
  let delivered = live.rounds
  while (live.rounds < options.until && !signal.aborted) {
    const began = performance.now()
    const pace = options.pace(live.rounds)
    const size = Math.min(
      LARGEST_BATCH,
      Math.ceil(Math.max(live.rounds, 1) * BATCH_SHARE),
      Math.max(1, Math.ceil(pace / BATCHES_PER_SECOND)),
      options.until - live.rounds,
    )
    const start = live.rounds
    const decisions = Array.from({ length: size }, (_, i) => stream.round(start + i).request)
    const { results } = await call<DecisionBatchReply>(`${base}/decisions/batch`, { decisions }, signal)
    results.forEach((result, i) => {
      if ('error' in result) throw new Error(`the service refused a decision: ${result.error.detail}`)
      const reply = result as DecisionReply
      const { means, truth } = stream.round(start + i)
      const propensity = new Map(reply.ranking.map((ranked) => [ranked.action, ranked.propensity]))
      live.add(
        regretOf(
          means,
          actions.map((action) => propensity.get(action) ?? 0),
        ),
      )
      const { status, value, pretrained, pleaseReveal: ask = false } = reply.covariates[stream.covariate]!
      if (status !== 'observed' && typeof value === 'number' && typeof pretrained === 'number')
        errors.add(reply.policy.epoch, start + i + 1, truth, pretrained, value)
      expect({ id: reply.decisionId, round: start + i, action: reply.action, ask }, start + i)
    })
    live.save()
    await deliver(delivered, live.rounds - 1)
    delivered = live.rounds
    await whileFitting(options.fitting, signal)
    const rest = Number.isFinite(pace) ? (1000 * size) / pace - (performance.now() - began) : 0
    if (rest > 0) await pause(rest, signal)
  }
  // Whoever stops still reports what is on its way: the next run knows nothing of it.
  await deliver(delivered, Math.max(delivered, ...due.keys()))
}

async function whileFitting(fitting: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const end = performance.now() + PATIENCE
  while (performance.now() < end && !signal.aborted && (await fitting())) await pause(10, signal)
}

/** What an earlier run decided, where its file is not whole: the regret of its rounds, and what it had not reported yet. */
export async function readEarlier(
  url: string,
  problem: DemoProblem,
  stream: Stream,
  live: LiveRegret,
  signal: AbortSignal,
): Promise<readonly Waiting[]> {
  const reply = await fetch(`${url}/v1/problems/${problem.name}/log?format=jsonl`)
  const waiting: Waiting[] = []
  for await (const line of lines(reply)) {
    if (signal.aborted) return []
    const row = JSON.parse(line) as Record<string, unknown>
    if (typeof row.eventId !== 'string' || !row.eventId.startsWith(`${problem.name}-`)) continue
    const round = roundOf(row.eventId)
    // Decisions that someone else made on the demo's problems have no round of the stream.
    if (round !== live.rounds) continue
    live.add(regretOf(stream.round(round).means, row.propensities as number[]))
    if (row.rewardStatus !== 'open') continue
    waiting.push({ id: String(row.decisionId), round, action: String(row.action), ask: false })
  }
  return waiting
}

async function* lines(reply: Response): AsyncGenerator<string> {
  if (!reply.ok || reply.body === null) throw new Error(`the service answered ${reply.status} to the log`)
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of reply.body as unknown as AsyncIterable<Uint8Array>) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = parts.pop()!
    yield* parts.filter((part) => part !== '')
  }
  if (rest !== '') yield rest
}

const RETRIES = 50

/** Repeats while the service says that it cannot now; with event ids everything counts once. Calls under way are finished. */
async function call<T>(url: string, body: unknown, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (reply.ok) return (await reply.json()) as T
    const text = await reply.text()
    if ((reply.status !== 503 && reply.status !== 429) || attempt === RETRIES || signal.aborted)
      throw new Error(`the service answered ${reply.status}: ${text.slice(0, 300)}`)
    await pause(200, signal)
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done, { once: true })
  })
}
