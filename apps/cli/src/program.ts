// All commands, with the options that every one of them has.

import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { boundsCommand } from './commands/bounds.js'
import { calibrateCommand } from './commands/calibrate.js'
import { mergeCommand } from './commands/merge.js'
import { replayCommand } from './commands/replay.js'
import { simulateCommand } from './commands/simulate.js'
import { studyCommand } from './commands/study.js'

export function program(): Command {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const primo = new Command('primo')
    .description('Good online decisions when part of the input is missing.')
    .version(version)
    .showHelpAfterError('(primo --help shows the commands, primo COMMAND --help an example)')
    .exitOverride()
    .configureOutput({ writeErr: (text) => process.stderr.write(text) })
  const commands = [
    simulateCommand(),
    mergeCommand(),
    studyCommand(),
    replayCommand(),
    calibrateCommand(),
    boundsCommand(),
  ]
  for (const command of commands) primo.addCommand(command.exitOverride())
  return primo
}
