// A durability run: the service as a child process under load, killed with SIGKILL at random moments, started again; then
// the store is compared with what the clients were told, and what was learnt with a replay of the log.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createClient } from '@primo/client'
import { openRawStore, openStore, replayProblem, verifyStore } from '@primo/service'
import { compareWithStore } from './compare.js'
import { decide, reward, runClient } from './killed-clients.js'
import { problems } from './problems.js'
import { newRecord } from './record.js'

export interface DurabilityOptions {
  readonly cycles: number
  readonly store: string
  readonly clients?: number
  /** Longest time between start and kill, in milliseconds; default 1500. */
  readonly longest?: number
  /** What else goes wrong in a cycle, before the kill. */
  readonly disturb?: (cycle: number) => Promise<void>
  readonly onCycle?: (cycle: number, acknowledged: { readonly decisions: number; readonly rewards: number }) => void
}

export interface DurabilityResult {
  readonly cycles: number
  readonly acknowledged: { readonly decisions: number; readonly rewards: number }
  readonly stored: { readonly decisions: number; readonly rewards: number }
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  readonly contradictions: readonly string[]
  /** Policies learnt, and those that a replay of the log does not give again. */
  readonly policies: number
  readonly different: readonly string[]
  /** What `primo verify` finds. */
  readonly damaged: readonly string[]
}

const PRIMO = fileURLToPath(new URL('../../bin/primo.js', import.meta.url))

export async function runDurability(options: DurabilityOptions): Promise<DurabilityResult> {
  const { cycles, store: address, clients = 12, longest = 1500 } = options
  const record = newRecord()
  const acknowledged = () => ({
    decisions: [...record.decisions.values()].filter(({ reply }) => reply !== null).length,
    rewards: [...record.rewards.values()].filter((asked) => asked.acknowledged).length,
  })
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const { child, url } = await startChild(address)
    try {
      if (cycle === 1)
        for (const [name, definition] of Object.entries(problems)) await createClient({ url }).define(name, definition)
      // What was not answered is asked again: it must count once.
      const again = [...record.decisions.values()].filter(({ reply }) => reply === null).map(({ eventId }) => eventId)
      const rewardsAgain = [...record.rewards.values()].filter((asked) => !asked.acknowledged)
      const load = Promise.all([
        ...Array.from({ length: clients }, () => runClient(url, record)),
        ...again.map((eventId) => decide(url, record, eventId)),
        ...rewardsAgain.slice(-50).map(({ rewardId }) => reward(url, record, rewardId)),
      ])
      await pause(30 + Math.random() * longest)
      await options.disturb?.(cycle)
      // On a busy machine every kill may come before the first policy.
      if (cycle === cycles) await untilLearnt(url)
      if (child.exitCode !== null || child.signalCode !== null)
        record.contradictions.push(
          `cycle ${cycle}: the service ended by itself (${child.exitCode ?? child.signalCode})`,
        )
      else {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      await load
    } finally {
      child.kill('SIGKILL')
    }
    options.onCycle?.(cycle, acknowledged())
  }
  const damaged = await damageOf(address)
  const store = await openStore(address)
  try {
    const compared = await compareWithStore(store, record)
    let policies = 0
    const different: string[] = []
    for (const name of Object.keys(problems)) {
      const replayed = await replayProblem(store, name)
      policies += replayed.policies
      different.push(...replayed.different.map((version) => `${name} ${version}`))
    }
    return {
      cycles,
      acknowledged: acknowledged(),
      stored: { decisions: compared.decisions, rewards: compared.rewards },
      lost: compared.lost,
      doubled: compared.doubled,
      contradictions: record.contradictions,
      policies,
      different,
      damaged: [...damaged, ...store.damage().map(({ detail }) => detail)],
    }
  } finally {
    await store.close()
  }
}

/** Waits until a policy was learnt, half a minute at most. */
async function untilLearnt(url: string): Promise<void> {
  const client = createClient({ url })
  const until = performance.now() + 30_000
  while (performance.now() < until) {
    const [{ learning }] = await Promise.all([client.summary(Object.keys(problems)[0]!), pause(100)])
    if (learning.policyVersion > 0) return
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function damageOf(address: string): Promise<readonly string[]> {
  const store = await openRawStore(address)
  try {
    return (await verifyStore(store)).damage.map(({ problem, detail }) => `${problem ?? 'the store'}: ${detail}`)
  } finally {
    await store.close()
  }
}

async function startChild(store: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(
    process.execPath,
    [PRIMO, 'serve', '--store', store, '--port', '0', '--log-level', 'silent', '--json'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [line] = (await Promise.race([
    once(child.stdout!, 'data'),
    once(child, 'exit').then(() => {
      throw new Error('the service did not start')
    }),
  ])) as [Buffer]
  return { child, url: (JSON.parse(line.toString()) as { url: string }).url }
}
