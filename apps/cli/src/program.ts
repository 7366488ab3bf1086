// All commands, with the options that every one of them has. A command's module is loaded when it is asked for: a service
// should not carry the plots of the studies.

import { readFileSync } from 'node:fs'
import { Command } from 'commander'

const commands: Readonly<Record<string, () => Promise<Command>>> = {
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

/** With the command that was asked for, or with all of them where none is named. */
export async function program(asked?: string): Promise<Command> {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const primo = new Command('primo')
    .description('Good online decisions when part of the input is missing.')
    .version(version)
    .showHelpAfterError('(primo --help shows the commands, primo COMMAND --help an example)')
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
  if (asked === '--version' || asked === '-V') return primo
  const one = asked !== undefined && Object.hasOwn(commands, asked) ? commands[asked] : undefined
  const loaded = one === undefined ? await Promise.all(Object.values(commands).map((load) => load())) : [await one()]
  for (const command of loaded) primo.addCommand(command.exitOverride())
  return primo
}
