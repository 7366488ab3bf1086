// primo serve: the decision service.

import { setFlagsFromString } from 'node:v8'
import { ConfigError, checkWorkers, describeConfig, readConfig, StoreUnavailable, startService } from '@primo/service'
import { Command } from 'commander'
import { print, printJson, UsageError } from '../output.js'
import { pageFolder } from '../page-folder.js'
import { settingFlags, settingSources } from '../serve-flags.js'
import { isWorker, type Summary, startWorkers, tellServing } from '../workers.js'

type Flags = Record<string, string | boolean | undefined>

export function serveCommand(): Command {
  return settingFlags(new Command('serve'))
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
      const workers = isWorker ? 1 : workersOf(flags)
      const summary = workers > 1 ? await startWorkers(workers) : await serveHere(flags, json === true)
      if (isWorker) tellServing(summary)
      else if (json === true) printJson(summary.told)
      else for (const line of summary.lines) print(line)
    })
}

function workersOf(flags: Flags): number {
  try {
    const config = readConfig(flags, process.env)
    if (config.workers > 1) checkWorkers(config)
    return config.workers
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message)
    throw error
  }
}

/** Serves in this process until it is told to stop. */
async function serveHere(flags: Flags, json: boolean): Promise<Summary> {
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
  const stop = (signal: string) => {
    if (!json && !isWorker) print(`${signal}: stopping`)
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
  const names = keys.map(({ name }) => name)
  return {
    told: { url, store: store.place, keys: keys.map(({ role }) => role) },
    lines: describeConfig(config, store.place, names),
  }
}
