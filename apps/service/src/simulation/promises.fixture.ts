// All that was acknowledged to callers, and whether it holds.

import { type Sink, writeWhileAllowed } from '../http/routes/open-stream.js'
import type { StoredKey } from '../ledger/stored-key.js'
import type { Replica } from './replica.fixture.js'
import type { Network } from './store.fixture.js'
import { SLOW } from './world.fixture.js'

/** Milliseconds after which every replica has heard of a key that was revoked. */
const HEARD = 1000 + 4 * SLOW

export type Promises = ReturnType<typeof createPromises>

export function createPromises({ world, breaks }: Network) {
  const events: number[] = []
  const decisions: { readonly problem: string; readonly id: string }[] = []
  const rewards: string[] = []
  const secrets = new Map<string, string[]>()
  const revocations = new Map<string, { readonly at: number; readonly by: Replica }>()
  const streams: { readonly secret: string; readonly replica: Replica; readonly out: Sink }[] = []
  const oneOf = <T>(list: readonly T[]): T | null => (list.length === 0 ? null : world.one(list))

  return {
    decisions,
    rewards,
    /** The event of this number, or one of those before. */
    event: (number: number | null): number => {
      const event = number ?? oneOf(events) ?? 0
      events.push(event)
      return event
    },
    decision: () => oneOf(decisions),
    key: () => oneOf([...secrets.keys()]),
    decided: (problem: string, id: string) => void decisions.push({ problem, id }),
    rewarded: (id: string) => void rewards.push(id),
    secret: (name: string, secret: string) => void secrets.set(name, [...(secrets.get(name) ?? []), secret]),
    revoked: (name: string, by: Replica) => void revocations.set(name, { at: world.now(), by }),
    /** No secret of a revoked key counts: at once where it was revoked, soon elsewhere; `rest`: nothing is under way. */
    checkKeys: (replica: Replica, rest = false): void => {
      for (const [name, { at, by }] of revocations) {
        if (!rest && by !== replica && (breaks > 0 || world.now() < at + HEARD)) continue
        for (const secret of secrets.get(name) ?? [])
          if (replica.keys.held(secret).length > 0)
            world.fail(`${replica.process.name} answers key ${name}, which was revoked at ${at}`)
      }
    },
    /** Opens a stream with the newest secret of a key, which must end with it. */
    watched: (name: string, replica: Replica): void => {
      const secret = secrets.get(name)!.at(-1)!
      const out = {
        writableEnded: false,
        write: () => true,
        end: () => {
          out.writableEnded = true
          stop()
        },
      }
      const { stop } = writeWhileAllowed(out, () => replica.keys.held(secret).length > 0)
      streams.push({ secret, replica, out })
    },
    /** At rest: none of a replica's streams is open whose key no longer counts. */
    checkStreams: (of: Replica): void => {
      for (const { secret, replica, out } of streams) {
        if (replica !== of) continue
        const counts = replica.keys.held(secret).length > 0
        if (!counts && !out.writableEnded) world.fail(`${replica.process.name} keeps a stream open without its key`)
        out.end()
      }
    },
    checkStoredKeys: (keys: ReadonlyMap<string, StoredKey>): void => {
      for (const name of secrets.keys()) if (!keys.has(name)) world.fail(`key ${name}, which was made, is gone`)
      for (const name of revocations.keys())
        if (keys.get(name)?.revoked == null) world.fail(`key ${name}, which was revoked, counts again`)
    },
  }
}
