// The list of commands. A command's module is loaded only when the command runs: a service should not load the plots of the studies,
// and help loads none.

import { readFileSync } from 'node:fs'
import { Command } from 'commander'

interface Listed {
  /** Its line in the list of commands. */
  readonly text: string
  readonly load: () => Promise<Command>
}

const commands: Readonly<Record<string, Listed>> = {
  demo: {
    text: 'service, page and simulated clients on built-in scenarios: watch it learn',
    load: async () => (await import('./commands/demo.js')).demoCommand(),
  },
  serve: {
    text: 'the decision service',
    load: async () => (await import('./commands/serve.js')).serveCommand(),
  },
  config: {
    text: 'the settings that "primo serve" would use with the same flags, and their origins',
    load: async () => (await import('./commands/config.js')).configCommand(),
  },
  key: {
    text: 'make an API key for the service',
    load: async () => (await import('./commands/key.js')).keyCommand(),
  },
  keys: {
    text: 'make, list, rotate and revoke keys by name, without a restart',
    load: async () => (await import('./commands/keys.js')).keysCommand(),
  },
  forget: {
    text: 'take what was recorded of a subject out of log, exports and files',
    load: async () => (await import('./commands/forget.js')).forgetCommand(),
  },
  export: {
    text: 'write the decision log of a problem as JSONL, CSV or Parquet (docs/log-format.md)',
    load: async () => (await import('./commands/export.js')).exportCommand(),
  },
  archive: {
    text: 'write the months of a decision log that are over as Parquet files',
    load: async () => (await import('./commands/archive.js')).archiveCommand(),
  },
  import: {
    text: 'load a decision log into a store; the problem learns from it (warm start)',
    load: async () => (await import('./commands/import.js')).importCommand(),
  },
  backup: {
    text: 'copy a store into a file, while a service runs on it or not, and check the copy',
    load: async () => (await import('./commands/backup.js')).backupCommand(),
  },
  restore: {
    text: 'take a backup into a new store, and check it',
    load: async () => (await import('./commands/restore.js')).restoreCommand(),
  },
  doctor: {
    text: 'look at a decision log (propensities, duplicates, delays, drift, missing rewards, leakage) or at a store (integrity, format, disk, clock, rights; a service may run on it meanwhile)',
    load: async () => (await import('./commands/doctor.js')).doctorCommand(),
  },
  verify: {
    text: 'check every record, sum, decision and policy of a store; a service may run on it meanwhile',
    load: async () => (await import('./commands/verify.js')).verifyCommand(),
  },
  repair: {
    text: 'take what is whole of a store into a new one, and list what is not',
    load: async () => (await import('./commands/repair.js')).repairCommand(),
  },
  durability: {
    text: 'kill the service at random moments under load and count what was lost',
    load: async () => (await import('./commands/durability.js')).durabilityCommand(),
  },
  simulate: {
    text: 'compare policies on simulated scenarios: rows, table, plots and an HTML report',
    load: async () => (await import('./commands/simulate.js')).simulateCommand(),
  },
  worker: {
    text: 'work for primo simulate --queue and primo fit --queue on this machine',
    load: async () => (await import('./commands/worker.js')).workerCommand(),
  },
  merge: {
    text: 'join the parts of a sharded run',
    load: async () => (await import('./commands/merge.js')).mergeCommand(),
  },
  study: {
    text: 'run a named study; exit code 1 if a claim did not hold',
    load: async () => (await import('./commands/study.js')).studyCommand(),
  },
  inspect: {
    text: 'what a table holds, what is missing and looks wrong, and a spec for the other commands (CSV or Parquet)',
    load: async () => (await import('./commands/inspect.js')).inspectCommand(),
  },
  replay: {
    text: 'run policies on a full-information table (CSV or Parquet)',
    load: async () => (await import('./commands/replay.js')).replayCommand(),
  },
  calibrate: {
    text: 'correct a prediction column from the rows where the covariate was observed (CSV or Parquet)',
    load: async () => (await import('./commands/calibrate.js')).calibrateCommand(),
  },
  train: {
    text: 'train a model that predicts a covariate where it is missing (CSV or Parquet)',
    load: async () => (await import('./commands/train.js')).trainCommand(),
  },
  impute: {
    text: 'complete a table by trained models, once or by several draws (CSV or Parquet)',
    load: async () => (await import('./commands/impute.js')).imputeCommand(),
  },
  convert: {
    text: 'turn the log of another system into a decision log (docs/log-format.md), and say what is lost',
    load: async () => (await import('./commands/convert.js')).convertCommand(),
  },
  evaluate: {
    text: 'what other policies would have earned, from a decision log with propensities (JSONL, CSV or Parquet)',
    load: async () => (await import('./commands/evaluate.js')).evaluateCommand(),
  },
  fit: {
    text: 'the linear reward model of a decision log of any size (Parquet)',
    load: async () => (await import('./commands/fit.js')).fitCommand(),
  },
  bounds: {
    text: 'the four theorems by epoch up to T, printed and corrected: errors (1, 3) and regret (2, 4)',
    load: async () => (await import('./commands/bounds.js')).boundsCommand(),
  },
}

/** Every command by name. */
export const commandNames: readonly string[] = Object.keys(commands)

/** `primo` with the command that is named, ready to run; with the list of commands if it is none of them. */
export async function program(asked?: string): Promise<Command> {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const primo = new Command('primo')
    .description('Good online decisions when part of the input is missing.')
    .version(version)
    .showHelpAfterError('(primo --help shows the commands, primo COMMAND --help an example)')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
  for (const [name, { text, load }] of Object.entries(commands)) {
    if (asked === name || !Object.hasOwn(commands, asked ?? ''))
      primo.addCommand((asked === name ? await load() : new Command(name)).description(text).exitOverride())
  }
  return primo
}
