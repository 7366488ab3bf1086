// The flags of primo serve, from the service's own list of settings.

import { flagOf, settingNames, settings, variableOf } from '@primo/service'
import type { Command } from 'commander'

export function settingFlags(command: Command): Command {
  for (const name of settingNames) {
    const { argument, about } = settings[name]
    command.option(argument === null ? flagOf(name) : `${flagOf(name)} ${argument}`, about)
  }
  return command.option(
    '--config <file>',
    'JSON file of settings by name, such as {"port": 8642, "allowHost": ["shop"]}',
  )
}

/** For --help. */
export function settingSources(): string {
  const names = [...settingNames, 'config'].map(variableOf)
  const lines = names.reduce<string[]>((all, name, k) => {
    const word = k === names.length - 1 ? `${name}.` : `${name},`
    const last = all.at(-1)
    if (last !== undefined && last.length + word.length < 118) all[all.length - 1] = `${last} ${word}`
    else all.push(word)
    return all
  }, [])
  return `
Every flag can also be set by an environment variable, or by a field of the file of --config:
${lines.join('\n')}
A flag overrides its variable, a variable the file. PRIMO_KEYS_FILE, PRIMO_STORE_FILE and so on name a file that holds the
value, as secrets are handed to containers. "primo config" shows what counts, and why.
`
}
