// Every setting of the service, once: its flag, its variable, its field in a file, its help, its default, how its text is read.

import { type Key, parseKeys } from './http/keys.js'

/** How a service is set up. */
export interface Config {
  /** sqlite:PATH or postgres://... */
  readonly store: string
  readonly host: string
  readonly port: number
  /** Processes that decide, on one port; more than one need PostgreSQL. */
  readonly workers: number
  /** The path under which a proxy shows the service, such as /primo; empty: the root. */
  readonly basePath: string
  readonly keys: readonly Key[]
  /** Names (HOST or HOST:PORT) under which the service is called and whose pages may call it, beside loopback. */
  readonly allowHost: readonly string[]
  /** Bytes of a body. */
  readonly bodyLimit: number
  /** Milliseconds in which a request must have arrived whole. */
  readonly requestTimeout: number
  /** Requests per minute and key, or address of a caller without one; 0: no limit. */
  readonly rateLimit: number
  /** Addresses or networks of proxies that are believed when they say who calls. */
  readonly trustProxy: readonly string[]
  /** Milliseconds that a stopping service waits for the answers under way. */
  readonly grace: number
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  /** Folder of the model files that problems may name; null: none may. */
  readonly models: string | null
  /** Modules with exploration rules and function classes that problems may name. */
  readonly use: readonly string[]
  /** Hosts (HOST or HOST:PORT) that imputers may call. */
  readonly imputerHosts: readonly string[]
  /** Take the clock for right at the start, however far it is from the last known time. */
  readonly confirmClock: boolean
  /** Decide for damaged problems too. */
  readonly decideDamaged: boolean
  /** Collector of OpenTelemetry that takes traces by OTLP over HTTP; null: nothing is traced. */
  readonly otlp: string | null
  /** Share of the traces that are kept where no caller says. */
  readonly traceRatio: number
  /** Addresses that are told by CloudEvents of what an operator should hear of. */
  readonly webhook: readonly string[]
  /** What events are signed with; null: nothing. */
  readonly webhookSecret: string | null
}

/** A setting that cannot be, in a sentence. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** One setting: how it is given, and how its text is read. */
export interface Setting<T> {
  /** What follows the flag, as in --help; null: nothing. */
  readonly argument: string | null
  readonly about: string
  readonly fallback: T
  /** Throws what the text must be. */
  readonly read: (text: string) => T
  /** Its field in a file, as a JSON schema. */
  readonly schema: object
  /** Variables that others have given it, read where ours is not set. */
  readonly variables?: readonly string[]
  /** What may be shown of it, if not all. */
  readonly shown?: (value: T) => unknown
}

/** All settings, in the order of the help. */
export const settings: { readonly [Name in keyof Config]: Setting<Config[Name]> } = {
  store: {
    ...text(
      '<address>',
      'sqlite:PATH or postgres://... (default sqlite:primo-data/primo.db)',
      'sqlite:primo-data/primo.db',
    ),
    shown: (address) =>
      address.replace(/^(postgres(?:ql)?:\/\/[^:@/]*):.*@/, '$1:***@').replace(/([?&]password=)[^&]*/, '$1***'),
  },
  host: text(
    '<address>',
    'where to listen (default 127.0.0.1; any address beyond loopback requires keys)',
    '127.0.0.1',
  ),
  port: whole('<number>', 'default 8642; 0: any free port', 8642, 0, 65_535),
  workers: whole(
    '<number>',
    'processes that decide, on one port; more than one need PostgreSQL (default 1)',
    1,
    1,
    256,
  ),
  basePath: {
    ...text('<path>', 'the path under which a proxy shows the service, such as /primo', ''),
    read: (given) => {
      const path = given.replace(/\/+$/, '')
      if (path !== '' && !/^(\/[\w.~-]+)+$/.test(path))
        throw new ConfigError(`must be a path such as /primo, got "${given}"`)
      return path
    },
  },
  keys: {
    ...list('<entries>', 'ROLE:SHA256 entries as printed by "primo key" (better: the variable PRIMO_KEYS)'),
    fallback: [],
    read: (given) => {
      try {
        return parseKeys(given)
      } catch (error) {
        throw new ConfigError((error as Error).message.replace(/^keys /, ''))
      }
    },
    shown: (keys) => keys.map(({ role }) => `${role}:***`),
  },
  allowHost: hosts('<names>', 'names, separated by commas, under which the service is called beside loopback'),
  bodyLimit: whole('<bytes>', 'largest body (default 4194304)', 4 * 1024 * 1024, 1024, 1 << 30),
  requestTimeout: whole(
    '<milliseconds>',
    'in which a request must have arrived whole (default 30000)',
    30_000,
    1,
    3_600_000,
  ),
  rateLimit: whole('<number>', 'requests per minute per client; 0: no limit (default)', 0, 0, 1e9),
  trustProxy: list('<addresses>', 'proxies that are believed when they say who calls (X-Forwarded-For)'),
  grace: whole(
    '<milliseconds>',
    'that a stopping service waits for the answers under way (default 5000)',
    5000,
    0,
    3_600_000,
  ),
  models: text('<folder>', 'folder of the model files that problems may use (imputers module and onnx)', null),
  use: list(
    '<files>',
    'modules with exploration rules and function classes that problems may name, separated by commas',
  ),
  imputerHosts: hosts('<hosts>', 'HOST or HOST:PORT that imputers http and llm may call, separated by commas'),
  confirmClock: onOff('take the clock for right at this start, however far it is from the last known time'),
  decideDamaged: onOff('decide for problems whose records are damaged too, with what is left of them'),
  otlp: {
    ...address('collector of OpenTelemetry that takes traces as OTLP over HTTP (default: nothing is traced)'),
    variables: ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  },
  traceRatio: {
    argument: '<share>',
    about: 'share of the traces that are kept where no caller says (default 1)',
    fallback: 1,
    variables: ['OTEL_TRACES_SAMPLER_ARG'],
    schema: { type: 'number', minimum: 0, maximum: 1 },
    read: (given) => {
      const share = given.trim() === '' ? Number.NaN : Number(given)
      if (!(share >= 0 && share <= 1)) throw new ConfigError(`must be a number from 0 to 1, got "${given}"`)
      return share
    },
  },
  webhook: {
    ...list('<addresses>', 'where to send events (CloudEvents): policies, warnings, what fails; separated by commas'),
    read: (given) => list('', '').read(given).map(readAddress),
    shown: (given) => given.map((one) => new URL(one).origin),
  },
  webhookSecret: {
    ...text<null>('<secret>', 'what events are signed with (better: the variable PRIMO_WEBHOOK_SECRET)', null),
    shown: (secret) => (secret === null ? null : '***'),
  },
  logLevel: {
    argument: '<level>',
    about: 'silent, error, warn, info (default) or debug',
    fallback: 'info',
    schema: { enum: ['silent', 'error', 'warn', 'info', 'debug'] },
    read: (given) => {
      if (!['silent', 'error', 'warn', 'info', 'debug'].includes(given))
        throw new ConfigError(`must be silent, error, warn, info or debug, got "${given}"`)
      return given as Config['logLevel']
    },
  },
}

/** The names of all settings. */
export const settingNames = Object.keys(settings) as (keyof Config)[]

/** --body-limit of bodyLimit. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** PRIMO_BODY_LIMIT of bodyLimit. */
export function variableOf(name: string): string {
  return `PRIMO_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** What a configuration file must be, as a JSON schema. */
export function configSchema(): object {
  const properties = Object.fromEntries(
    settingNames.map((name) => [name, { description: settings[name].about, ...settings[name].schema }]),
  )
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return { $schema, title: 'Settings of primo serve', type: 'object', additionalProperties: false, properties }
}

function text<T extends string | null>(argument: string, about: string, fallback: T): Setting<string | T> {
  return { argument, about, fallback, read: (given) => given, schema: { type: 'string' } }
}

/** Shown without what may be secret in it. */
function address(about: string): Setting<string | null> {
  return {
    ...text<null>('<address>', about, null),
    read: readAddress,
    shown: (given) => (given === null ? null : new URL(given).origin),
  }
}

function readAddress(given: string): string {
  if (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)) return given
  throw new ConfigError(`must be an address that begins with http:// or https://, got "${given}"`)
}

function whole(argument: string, about: string, fallback: number, least: number, most: number): Setting<number> {
  return {
    argument,
    about,
    fallback,
    schema: { type: 'integer', minimum: least, maximum: most },
    read: (given) => {
      const value = Number(given)
      if (given.trim() === '' || !Number.isSafeInteger(value) || value < least || value > most)
        throw new ConfigError(`must be a whole number from ${least} to ${most}, got "${given}"`)
      return value
    },
  }
}

/** Entries separated by commas or white space. */
function list(argument: string, about: string): Setting<readonly string[]> {
  const read = (given: string) => given.split(/[\s,]+/).filter((entry) => entry !== '')
  return { argument, about, fallback: [], read, schema: { type: 'array', items: { type: 'string' } } }
}

function hosts(argument: string, about: string): Setting<readonly string[]> {
  const plain = list(argument, about)
  return { ...plain, read: (given) => plain.read(given.toLowerCase()) }
}

function onOff(about: string): Setting<boolean> {
  return {
    argument: null,
    about,
    fallback: false,
    schema: { type: 'boolean' },
    read: (given) => {
      if (given !== 'true' && given !== 'false') throw new ConfigError(`must be true or false, got "${given}"`)
      return given === 'true'
    },
  }
}
