import { Command } from 'commander'

export function boundsCommand(): Command {
  return new Command('bounds')
}
