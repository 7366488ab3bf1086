// primo serve: the decision service.

import { setFlagsFromString } from 'node:v8'
import { ConfigError, describeConfig, readConfig, StoreUnavailable, startService } from '@primo/service'
import { Command } from 'commander'
import { print, printJson, UsageError } from '../output.js'
import { pageFolder } from '../page-folder.js'
import { settingFlags, settingSources } from '../serve-flags.js'

type Flags = Record<string, string | boolean | undefined>

export function serveCommand(): Command {
  return settingFlags(new Command('serve').description('the decision service'))
    .option('--json', 'print the summary as one JSON object')
    .addHelpText(
      'after',
      `${settingSources()}
On SIGTERM or SIGINT it answers the calls under way, refuses others (503 shutting-down) and stops, after --grace at the
latest; a second signal ends it at once. Exit codes: 0 stopped, 1 failed, 2 cannot start with these settings.

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
