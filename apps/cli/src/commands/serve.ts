// primo serve: the decision service.

import { setFlagsFromString } from 'node:v8'
import { ConfigError, describeConfig, readConfig, StoreUnavailable, startService } from '@primo/service'
import { Command } from 'commander'
import { print, printJson, UsageError } from '../output.js'
import { pageFolder } from '../page-folder.js'

type Flags = Record<string, string | boolean | undefined>

export function serveCommand(): Command {
  return new Command('serve')
    .description('the decision service')
    .option('--store <address>', 'sqlite:PATH or postgres://... (default sqlite:primo-data/primo.db)')
    .option('--host <address>', 'where to listen (default 127.0.0.1; any address beyond loopback requires keys)')
    .option('--port <number>', 'default 8642; 0: any free port')
    .option('--keys <entries>', 'ROLE:SHA256 entries as printed by "primo key" (better: the variable PRIMO_KEYS)')
    .option('--allow-host <names>', 'names, separated by commas, under which the service is called beside loopback')
    .option('--body-limit <bytes>', 'largest body')
    .option('--request-timeout <milliseconds>', 'in which a request must have arrived whole (default 30000)')
    .option('--rate-limit <number>', 'requests per minute per client; 0: no limit')
    .option('--trust-proxy <addresses>', 'proxies that are believed when they say who calls (X-Forwarded-For)')
    .option('--models <folder>', 'folder of the model files that problems may use (imputers module and onnx)')
    .option(
      '--use <files>',
      'modules with exploration rules and function classes that problems may name, separated by commas',
    )
    .option('--imputer-hosts <hosts>', 'HOST or HOST:PORT that imputers http and llm may call, separated by commas')
    .option('--imputer-variables <names>', 'variables that they may send, beside PRIMO_... that are no settings')
    .option('--confirm-clock', 'take the clock for right at this start, however far it is from the last known time')
    .option('--decide-damaged', 'decide for problems whose records are damaged too, with what is left of them')
    .option('--log-level <level>', 'silent, error, warn, info or debug')
    .option('--json', 'print the summary as one JSON object')
    .addHelpText(
      'after',
      `
Every flag can also be set by an environment variable: PRIMO_STORE, PRIMO_HOST, PRIMO_PORT, PRIMO_KEYS, PRIMO_ALLOW_HOST,
PRIMO_BODY_LIMIT, PRIMO_REQUEST_TIMEOUT, PRIMO_RATE_LIMIT, PRIMO_TRUST_PROXY, PRIMO_MODELS, PRIMO_USE, PRIMO_IMPUTER_HOSTS, PRIMO_IMPUTER_VARIABLES, PRIMO_CONFIRM_CLOCK, PRIMO_LOG_LEVEL. A flag overrides its variable.

Example:
  primo serve --store sqlite:data/shop.db --port 8642
  curl -s localhost:8642/readyz
`,
    )
    .action(async ({ json, ...flags }: Flags) => {
      // A service runs for months: better to collect more often than to hold four times the memory it needs.
      setFlagsFromString('--heap-growing-percent=25')
      let service: Awaited<ReturnType<typeof startService>>
      try {
        service = await startService({ ...readConfig(flags, process.env), page: pageFolder() })
      } catch (error) {
        if (error instanceof ConfigError || error instanceof StoreUnavailable) throw new UsageError(error.message)
        const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string }
        if (code === 'EADDRINUSE') throw new UsageError(`--port must be free, got ${port}, which is in use`)
        if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
          throw new UsageError(
            `--host and --port must be where this machine may listen, got ${address ?? flags.host} ${port ?? ''}`,
          )
        throw error
      }
      const { config, store, url } = service
      const keys = service.keys.list()
      if (json === true) printJson({ url, store: store.place, keys: keys.map(({ role }) => role) })
      else
        for (const line of describeConfig(
          config,
          store.place,
          keys.map(({ name }) => name),
        ))
          print(line)
      const stop = (signal: string) => {
        if (json !== true) print(`${signal}: stopping`)
        service.close().then(
          () => process.exit(0),
          (error: unknown) => {
            process.stderr.write(`primo: ${String(error)}\n`)
            process.exit(1)
          },
        )
      }
      process.once('SIGINT', stop)
      process.once('SIGTERM', stop)
    })
}
