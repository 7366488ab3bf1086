// primo keys: keys by name, in a running service (--url, with an admin key in PRIMO_KEY) or in a store that no service has open.

import type { KeyInfo, KeyList, NewKeyReply } from '@primo/contract'
import { type KeyRing, openExistingStore, openKeyRing, openStore, type Role, roles } from '@primo/service'
import { Command } from 'commander'
import { names, print, printJson, UsageError, wholeNumber } from '../output.js'
import { type Send, sender } from '../service-call.js'

interface Where {
  readonly url?: string
  readonly store?: string
  readonly json?: boolean
}

interface AddFlags extends Where {
  readonly role: string
  readonly problems?: string[]
  readonly expires?: number
}

export function keysCommand(): Command {
  const where = (command: Command) =>
    command
      .option('--url <address>', 'of a running service; the admin key is read from PRIMO_KEY')
      .option('--store <address>', 'sqlite:PATH that no service has open, or postgres://...')
      .option('--json', 'one JSON object')
  return new Command('keys')
    .addCommand(
      where(new Command('add').description('make a key; its secret is shown once').argument('<name>', 'who holds it'))
        .requiredOption('--role <role>', `one of ${roles.join(', ')}`)
        .option('--problems <names>', 'the problems that it is for, separated by commas (default: all)', names)
        .option('--expires <date>', 'such as 2030-01-31 or 2030-01-31T12:00Z (default: never)', time)
        .action(async (name: string, flags: AddFlags) => {
          const { role, problems, expires } = flags
          if (!roles.includes(role as Role))
            throw new UsageError(`--role must be one of ${roles.join(', ')}, got "${role}"`)
          const optional = { ...(problems && { problems }), ...(expires !== undefined && { expires }) }
          const made = await at(flags, {
            makes: true,
            call: (send) => send<NewKeyReply>('POST', '/v1/keys', { name, role, ...optional }),
            store: async (ring) => {
              const { key, secret } = await ring.add({
                name,
                role: role as Role,
                problems: problems ?? null,
                expires: expires ?? null,
              })
              return { ...infoOf(key), secret }
            },
          })
          showSecret(flags, made)
        }),
    )
    .addCommand(
      where(new Command('list').description('all keys, without their secrets')).action(async (flags: Where) => {
        const { keys } = await at<KeyList>(flags, {
          call: (send) => send<KeyList>('GET', '/v1/keys'),
          store: async (ring) => ({ keys: ring.list().map(infoOf) }),
        })
        if (flags.json === true) printJson({ keys })
        else for (const key of keys) print(describe(key))
      }),
    )
    .addCommand(
      where(new Command('rotate').description('give a key another secret').argument('<name>', 'the key'))
        .option('--overlap <seconds>', 'in which the old secret still counts', wholeNumber('--overlap', 0), 0)
        .action(async (name: string, flags: Where & { readonly overlap: number }) => {
          const overlap = flags.overlap * 1000
          const made = await at(flags, {
            call: (send) => send<NewKeyReply>('POST', `/v1/keys/${encodeURIComponent(name)}/rotate`, { overlap }),
            store: async (ring) => {
              const { key, secret } = await ring.rotate(name, overlap)
              return { ...infoOf(key), secret }
            },
          })
          showSecret(flags, made)
        }),
    )
    .addCommand(
      where(new Command('revoke').description('a key counts no more').argument('<name>', 'the key')).action(
        async (name: string, flags: Where) => {
          const key = await at(flags, {
            call: (send) => send<KeyInfo>('DELETE', `/v1/keys/${encodeURIComponent(name)}`),
            store: async (ring) => infoOf(await ring.revoke(name)),
          })
          if (flags.json === true) printJson(key)
          else print(describe(key))
        },
      ),
    )
    .addHelpText(
      'after',
      `
The first key must be of role admin: from then on every call needs a key.

Example:
  primo keys add ada --role admin --url http://localhost:8642
  PRIMO_KEY=... primo keys add shop --role decide --problems basket --expires 2030-01-31 --url http://localhost:8642
`,
    )
}

interface Ways<T> {
  /** Whether the store may be a new one: its first key is made before it is served. */
  readonly makes?: true
  readonly call: (send: Send) => Promise<T>
  readonly store: (ring: KeyRing) => Promise<T>
}

async function at<T>({ url, store: address }: Where, ways: Ways<T>): Promise<T> {
  if ((url === undefined) === (address === undefined))
    throw new UsageError('--url of a running service or --store must be given, one of them')
  if (url !== undefined) return ways.call(sender(url))
  const store = await (ways.makes ? openStore : openExistingStore)(address!)
  try {
    const ring = await openKeyRing(store, [])
    try {
      return await ways.store(ring)
    } finally {
      ring.close()
    }
  } finally {
    await store.close()
  }
}

function time(text: string): number {
  const parsed = Date.parse(text)
  if (Number.isNaN(parsed)) throw new UsageError(`--expires must be a date such as 2030-01-31, got "${text}"`)
  return parsed
}

function infoOf({ name, role, problems, expires, created, revoked }: ReturnType<KeyRing['list']>[number]): KeyInfo {
  return { name, role, problems: problems === null ? null : [...problems], expires, created, revoked }
}

function describe({ name, role, problems, expires, revoked }: KeyInfo): string {
  const day = (at: number) => new Date(at).toISOString()
  const until =
    revoked !== null ? `revoked ${day(revoked)}` : expires !== null ? `until ${day(expires)}` : 'without expiry'
  return `${name}  ${role}  ${problems === null ? 'all problems' : problems.join(', ')}  ${until}`
}

function showSecret({ json }: Where, made: NewKeyReply): void {
  if (json === true) {
    printJson(made)
    return
  }
  print(describe(made))
  print(`secret  ${made.secret}`)
  print('Give the secret to its holder: it is not shown again.')
}
