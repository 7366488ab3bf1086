// A relay before a PostgreSQL server whose connections can go silent: they stay open and nothing passes any more.

import { createServer, type Socket, connect as toServer } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Relay {
  /** The address of the database through the relay. */
  readonly url: string
  /** From now on nothing passes on the connections there are. */
  readonly silence: () => void
  /** New connections are accepted, and nothing passes on them either. */
  readonly silenceNew: (silent: boolean) => void
  /** The next connection on which the client says this goes silent: the server hears it and is not heard, or never hears it. */
  readonly silenceAt: (word: string, heard: 'answer lost' | 'never arrives') => void
  /** How many connections went silent by `silenceAt`. */
  readonly silenced: () => number
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  silent: boolean
}

export async function openRelay(address: string): Promise<Relay> {
  const target = new URL(address)
  const pairs = new Set<Pair>()
  let silentNew = false
  let trap: { readonly word: string; readonly passes: boolean } | null = null
  let silenced = 0
  const listener = createServer((client) => {
    const server = toServer(Number(target.port), target.hostname)
    const pair: Pair = { client, server, silent: silentNew }
    pairs.add(pair)
    client.on('data', (data) => {
      if (pair.silent) return
      if (trap !== null && data.includes(trap.word)) {
        pair.silent = true
        silenced++
        const { passes } = trap
        trap = null
        if (!passes) return
      }
      server.write(data)
    })
    server.on('data', (data) => {
      if (!pair.silent) client.write(data)
    })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => {
        // Who is silent does not tell of its end either.
        if (!pair.silent) other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    listener.close()
    for (const { client, server } of pairs) {
      client.destroy()
      server.destroy()
    }
  })
  const url = new URL(address)
  url.port = String((listener.address() as { port: number }).port)
  return {
    url: url.href,
    silence: () => {
      for (const pair of pairs) pair.silent = true
    },
    silenceNew: (silent) => {
      silentNew = silent
    },
    silenceAt: (word, heard) => {
      trap = { word, passes: heard === 'answer lost' }
    },
    silenced: () => silenced,
  }
}
