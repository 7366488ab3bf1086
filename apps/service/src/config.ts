// Configuration: flags over environment over defaults. It is checked once, before the service starts.

import { isLoopback } from './http/foreign-requests.js'
import { type Key, parseKeys } from './http/keys.js'

/** How a service is set up. */
export interface Config {
  /** sqlite:PATH or postgres://... */
  readonly store: string
  readonly host: string
  readonly port: number
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
  /** Variables that imputers may send, beside those whose name begins with PRIMO_ and is no setting. */
  readonly imputerVariables: readonly string[]
}

/** The configuration unless told otherwise. */
export const defaults: Config = {
  store: 'sqlite:primo-data/primo.db',
  host: '127.0.0.1',
  port: 8642,
  keys: [],
  allowHost: [],
  bodyLimit: 4 * 1024 * 1024,
  requestTimeout: 30_000,
  rateLimit: 0,
  trustProxy: [],
  logLevel: 'info',
  models: null,
  use: [],
  confirmClock: false,
  decideDamaged: false,
  imputerHosts: [],
  imputerVariables: [],
}

/** A setting that cannot be, in a sentence. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Flags = Readonly<Partial<Record<string, string | boolean | undefined>>>

/** Each setting is a flag (--body-limit) or a variable (PRIMO_BODY_LIMIT). */
export function readConfig(flags: Flags, environment: Readonly<Record<string, string | undefined>> = {}): Config {
  const read = (flag: string): string | undefined => {
    const given = flags[flag]
    if (given !== undefined) return String(given)
    return environment[variableOf(flag)]
  }
  const whole = (flag: string, fallback: number, least: number, most: number) => {
    const text = read(flag)
    if (text === undefined) return fallback
    const value = Number(text)
    if (text.trim() === '' || !Number.isSafeInteger(value) || value < least || value > most)
      throw new ConfigError(`${flag} must be a whole number from ${least} to ${most}, got "${text}"`)
    return value
  }
  const level = read('logLevel') ?? defaults.logLevel
  if (!['silent', 'error', 'warn', 'info', 'debug'].includes(level))
    throw new ConfigError(`logLevel must be silent, error, warn, info or debug, got "${level}"`)
  const config: Config = {
    store: read('store') ?? defaults.store,
    host: read('host') ?? defaults.host,
    port: whole('port', defaults.port, 0, 65_535),
    keys: keysOf(read('keys')),
    allowHost: hostsOf(read('allowHost')),
    bodyLimit: whole('bodyLimit', defaults.bodyLimit, 1024, 1 << 30),
    requestTimeout: whole('requestTimeout', defaults.requestTimeout, 1, 3_600_000),
    rateLimit: whole('rateLimit', defaults.rateLimit, 0, 1e9),
    trustProxy: listOf(read('trustProxy')),
    logLevel: level as Config['logLevel'],
    models: read('models') ?? defaults.models,
    use: listOf(read('use')),
    confirmClock: read('confirmClock') === 'true',
    decideDamaged: read('decideDamaged') === 'true',
    imputerHosts: hostsOf(read('imputerHosts')),
    imputerVariables: listOf(read('imputerVariables')),
  }
  return config
}

/** Entries separated by commas or white space. */
function listOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s,]+/).filter((entry) => entry !== '')
}

function hostsOf(text: string | undefined): readonly string[] {
  return listOf(text?.toLowerCase())
}

function variableOf(setting: string): string {
  return `PRIMO_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

type Environment = Readonly<Record<string, string | undefined>>

/** The part of the environment that imputers may send: never a setting, of which some are secrets. */
export function environmentOfImputers({ imputerVariables }: Config, environment: Environment): Environment {
  const settings = Object.keys(defaults).map(variableOf)
  const may = ([name]: [string, unknown]) =>
    imputerVariables.includes(name) || (name.startsWith('PRIMO_') && !settings.includes(name))
  return Object.fromEntries(Object.entries(environment).filter(may))
}

function keysOf(text: string | undefined): readonly Key[] {
  if (text === undefined) return []
  try {
    return parseKeys(text)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/** `keyed`: whether callers must show a key, of the configuration or of the store. */
export function checkConfig(config: Config, keyed: boolean): void {
  if (!keyed && !isLoopback(config.host))
    throw new ConfigError(
      `keys must be given to listen on ${config.host}: without keys the service binds to loopback only (make one with "primo keys add NAME --role admin")`,
    )
}

/** What a person wants to see at the start; no secrets. */
export function describeConfig(config: Config, place: string, keys: readonly string[]): string[] {
  return [
    `store       ${place}`,
    `address     http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`,
    `keys        ${keys.length === 0 ? 'none (loopback only)' : keys.join(', ')}`,
    `names       ${names(config, keys.length > 0)}`,
    `body limit  ${config.bodyLimit} bytes`,
    `rate limit  ${config.rateLimit === 0 ? 'none' : `${config.rateLimit} requests per minute and client`}`,
    `models      ${config.models ?? 'none'}`,
    `code        ${config.use.join(', ') || 'none'}`,
    `may call    ${config.imputerHosts.join(', ') || 'no hosts'}`,
    `log level   ${config.logLevel}`,
  ]
}

function names({ allowHost }: Config, keyed: boolean): string {
  const any = keyed ? 'any' : 'loopback'
  return allowHost.length === 0 ? any : `${any}, ${allowHost.join(', ')}`
}
