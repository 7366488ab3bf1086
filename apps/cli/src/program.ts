// The list of commands. A command's module is loaded only when the command runs: a service should not load the plots of the studies,
// and help loads none.

import { readFileSync } from 'node:fs'
import { Command } from 'commander'

const commands = {
  demo: async () => (await import('./commands/demo.js')).demoCommand(),
  serve: async () => (await import('./commands/serve.js')).serveCommand(),
  config: async () => (await import('./commands/config.js')).configCommand(),
  key: async () => (await import('./commands/key.js')).keyCommand(),
  keys: async () => (await import('./commands/keys.js')).keysCommand(),
  forget: async () => (await import('./commands/forget.js')).forgetCommand(),
  export: async () => (await import('./commands/export.js')).exportCommand(),
  archive: async () => (await import('./commands/archive.js')).archiveCommand(),
  import: async () => (await import('./commands/import.js')).importCommand(),
  backup: async () => (await import('./commands/backup.js')).backupCommand(),
  restore: async () => (await import('./commands/restore.js')).restoreCommand(),
  doctor: async () => (await import('./commands/doctor.js')).doctorCommand(),
  verify: async () => (await import('./commands/verify.js')).verifyCommand(),
  repair: async () => (await import('./commands/repair.js')).repairCommand(),
  durability: async () => (await import('./commands/durability.js')).durabilityCommand(),
  simulate: async () => (await import('./commands/simulate.js')).simulateCommand(),
  worker: async () => (await import('./commands/worker.js')).workerCommand(),
  merge: async () => (await import('./commands/merge.js')).mergeCommand(),
  study: async () => (await import('./commands/study.js')).studyCommand(),
  inspect: async () => (await import('./commands/inspect.js')).inspectCommand(),
  replay: async () => (await import('./commands/replay.js')).replayCommand(),
  calibrate: async () => (await import('./commands/calibrate.js')).calibrateCommand(),
  train: async () => (await import('./commands/train.js')).trainCommand(),
  impute: async () => (await import('./commands/impute.js')).imputeCommand(),
  convert: async () => (await import('./commands/convert.js')).convertCommand(),
  evaluate: async () => (await import('./commands/evaluate.js')).evaluateCommand(),
  fit: async () => (await import('./commands/fit.js')).fitCommand(),
  bounds: async () => (await import('./commands/bounds.js')).boundsCommand(),
}

/** Their lines in the list of commands. */
const texts: Readonly<Record<keyof typeof commands, string>> = {
  demo: 'service, page and simulated clients on built-in scenarios: watch it learn',
  serve: 'the decision service',
  config: 'the settings that "primo serve" would use with the same flags, and their origins',
  key: 'make an API key for the service',
  keys: 'make, list, rotate and revoke keys by name, without a restart',
  forget: 'take what was recorded of a subject out of log, exports and files',
  export: 'write the decision log of a problem as JSONL, CSV or Parquet (docs/log-format.md)',
  archive: 'write the months of a decision log that are over as Parquet files',
  import: 'load a decision log into a store; the problem learns from it (warm start)',
  backup: 'copy a store into a file, while a service runs on it or not, and check the copy',
  restore: 'take a backup into a new store, and check it',
  doctor:
    'look at a decision log (propensities, duplicates, delays, drift, missing rewards, leakage) or at a store (integrity, format, disk, clock, rights; a service may run on it meanwhile)',
  verify: 'check every record, sum, decision and policy of a store; a service may run on it meanwhile',
  repair: 'take what is whole of a store into a new one, and list what is not',
  durability: 'kill the service at random moments under load and count what was lost',
  simulate: 'compare policies on simulated scenarios: rows, table, plots and an HTML report',
  worker: 'work for primo simulate --queue and primo fit --queue on this machine',
  merge: 'join the parts of a sharded run',
  study: 'run a named study; exit code 1 if a claim did not hold',
  inspect:
    'what a table holds, what is missing and looks wrong, and a spec for the other commands ' +
    '(CSV, JSON lines or Parquet)',
  replay: 'run policies on a full-information table (CSV, JSON lines or Parquet)',
  calibrate: 'correct a prediction column from the rows where the covariate was observed (CSV, JSON lines or Parquet)',
  train: 'train a model that predicts a covariate where it is missing (CSV, JSON lines or Parquet)',
  impute: 'complete a table by trained models, once or by several draws (CSV, JSON lines or Parquet)',
  convert:
    'turn a table, the log of another system, or a decision log in another file format into a decision log ' +
    '(docs/log-format.md)',
  evaluate: 'what other policies would have earned, from a decision log with propensities (JSONL, CSV or Parquet)',
  fit: 'the linear reward model of a decision log of any size (Parquet)',
  bounds: 'the four theorems by epoch up to T, printed and corrected: errors (1, 3) and regret (2, 4)',
}

/** Every command by name. */
export const commandNames: readonly string[] = Object.keys(texts)

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
  for (const [name, load] of Object.entries(commands)) {
    if (asked !== name && Object.hasOwn(commands, asked ?? '')) continue
    const command = asked === name ? await load() : new Command(name)
    primo.addCommand(command.description(texts[name as keyof typeof texts]).exitOverride())
  }
  return primo
}
