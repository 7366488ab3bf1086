// Configuration: flags over environment over a file over defaults. It is checked once, before the service starts.

import { readFileSync } from 'node:fs'
import { unknownName } from '@primo/numeric'
import { isLoopback } from './http/foreign-requests.js'
import { type Config, ConfigError, flagOf, settingNames, settings, variableOf } from './settings.js'

/** The configuration unless told otherwise. */
export const defaults = Object.fromEntries(
  settingNames.map((name) => [name, settings[name].fallback]),
) as unknown as Config

/** A configuration, and where each setting comes from: a flag, a variable, a file, or the default. */
export interface GivenConfig {
  readonly config: Config
  readonly origins: Readonly<Record<keyof Config, string>>
}

type Flags = Readonly<Partial<Record<string, string | boolean | undefined>>>
type Environment = Readonly<Record<string, string | undefined>>

/** Each setting is a flag (--body-limit), a variable (PRIMO_BODY_LIMIT) or a field of the file of --config (bodyLimit). */
export function readConfig(flags: Flags, environment: Environment = {}): Config {
  return readGivenConfig(flags, environment).config
}

/** The same, with the origin of each setting. */
export function readGivenConfig(flags: Flags, environment: Environment = {}): GivenConfig {
  const file = flags.config === undefined ? environment[FILE] : String(flags.config)
  const fields = file === undefined ? {} : fieldsOf(file)
  const config: Partial<Record<keyof Config, unknown>> = {}
  const origins: Partial<Record<keyof Config, string>> = {}
  for (const name of settingNames) {
    const given = find(name, flags, environment, fields, file)
    origins[name] = given?.origin ?? 'default'
    try {
      config[name] = given === null ? settings[name].fallback : settings[name].read(given.text)
    } catch (error) {
      if (error instanceof ConfigError)
        throw new ConfigError(`${name} ${error.message}${given?.origin === flagOf(name) ? '' : ` (${given?.origin})`}`)
      throw error
    }
  }
  return { config: config as unknown as Config, origins: origins as Record<keyof Config, string> }
}

const FILE = 'PRIMO_CONFIG'

interface Given {
  readonly text: string
  readonly origin: string
}

function find(
  name: keyof Config,
  flags: Flags,
  environment: Environment,
  fields: Readonly<Record<string, unknown>>,
  file: string | undefined,
): Given | null {
  if (flags[name] !== undefined) return { text: String(flags[name]), origin: flagOf(name) }
  const variable = variableOf(name)
  const value = environment[variable]
  // Empty: as where compose passes on a variable that nobody set.
  if (value !== undefined && value !== '') return { text: value, origin: variable }
  // As secrets are handed to containers.
  const secret = environment[`${variable}_FILE`]
  if (secret !== undefined) return { text: read(`${variable}_FILE`, secret).trim(), origin: `${variable}_FILE` }
  for (const other of settings[name].variables ?? []) {
    const text = environment[other]
    if (text !== undefined && text !== '') return { text, origin: other }
  }
  const field = fields[name]
  if (field === undefined) return null
  return { text: Array.isArray(field) ? field.join(',') : String(field), origin: file! }
}

function fieldsOf(file: string): Readonly<Record<string, unknown>> {
  const text = read('config', file)
  let fields: unknown
  try {
    fields = JSON.parse(text)
  } catch (error) {
    throw new ConfigError(`config must be a JSON file, got ${file}: ${(error as Error).message}`)
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new ConfigError(`config must be a JSON object, got another value in ${file}`)
  for (const [name, value] of Object.entries(fields)) {
    if (name === '$schema') continue
    if (!Object.hasOwn(settings, name)) throw new ConfigError(unknownName(`config ${file}`, name, settingNames))
    const texts = Array.isArray(value) ? value.every((entry) => typeof entry === 'string') : Object(value) !== value
    if (!texts || value === null)
      throw new ConfigError(`${name} must be a text, a number, true, false or a list of texts (${file})`)
  }
  return fields as Record<string, unknown>
}

function read(what: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`${what} must be a file that can be read, got "${path}": ${(error as Error).message}`)
  }
}

/** Several processes need a store that several may write. */
export function checkWorkers({ workers, store }: Config): void {
  if (workers > 1 && store.startsWith('sqlite:'))
    throw new ConfigError(
      `workers must be 1 with a SQLite store, got ${workers}: it belongs to one process, whose writer has a thread of its own`,
    )
}

/** `keyed`: whether callers must show a key, of the configuration or of the store. */
export function checkConfig(config: Config, keyed: boolean): void {
  if (!keyed && !isLoopback(config.host))
    throw new ConfigError(
      `keys must be given to listen on ${config.host}: without keys the service binds to loopback only (make one with "primo keys add NAME --role admin")`,
    )
}

/** Where a service is called, without a proxy. */
export function addressOf({ host, port, basePath }: Config): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${basePath}`
}

/** What a person wants to see at the start; no secrets. */
export function describeConfig(config: Config, place: string, keys: readonly string[]): string[] {
  return [
    `store       ${place}`,
    `address     ${addressOf(config)}`,
    ...(config.workers === 1 ? [] : [`workers     ${config.workers}`]),
    `keys        ${keys.length === 0 ? 'none (loopback only)' : keys.join(', ')}`,
    `names       ${names(config, keys.length > 0)}`,
    `body limit  ${config.bodyLimit} bytes`,
    `rate limit  ${config.rateLimit === 0 ? 'none' : `${config.rateLimit} requests per minute and client`}`,
    `models      ${config.models ?? 'none'}`,
    `code        ${config.use.join(', ') || 'none'}`,
    `may call    ${config.imputerHosts.join(', ') || 'no hosts'}`,
    ...(config.otlp === null ? [] : [`traces      ${settings.otlp.shown!(config.otlp)}`]),
    ...(config.webhook.length === 0
      ? []
      : [`webhooks    ${(settings.webhook.shown!(config.webhook) as string[]).join(', ')}`]),
    `log level   ${config.logLevel}`,
  ]
}

function names({ allowHost }: Config, keyed: boolean): string {
  const any = keyed ? 'any' : 'loopback'
  return allowHost.length === 0 ? any : `${any}, ${allowHost.join(', ')}`
}
