// primo config: the settings that primo serve would use, and where each comes from.

import {
  type Config,
  ConfigError,
  configSchema,
  readGivenConfig,
  type Setting,
  settingNames,
  settings,
} from '@primo/service'
import { Command } from 'commander'
import { print, printJson, UsageError } from '../output.js'
import { settingFlags, settingSources } from '../serve-flags.js'

type Flags = Record<string, string | boolean | undefined>

export function configCommand(): Command {
  return settingFlags(new Command('config'))
    .option('--schema', 'the JSON schema of the file of --config instead')
    .option('--json', 'one JSON object')
    .addHelpText('after', `${settingSources()}\nExample:\n  PRIMO_PORT=9000 primo config --config primo.json\n`)
    .action(({ json, schema, ...flags }: Flags) => {
      if (schema === true) return print(JSON.stringify(configSchema(), null, 2))
      const { config, origins } = given(flags)
      const shown = settingNames.map((name) => ({ name, value: visible(name, config), origin: origins[name] }))
      if (json === true)
        return printJson(Object.fromEntries(shown.map(({ name, value, origin }) => [name, { value, origin }])))
      const width = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length))
      const texts = shown.map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value)))
      const [first, second] = [width(settingNames), width(texts)]
      shown.forEach(({ name, origin }, k) => {
        print(`${name.padEnd(first)}  ${texts[k]!.padEnd(second)}  ${origin}`)
      })
    })
}

/** Without secrets. */
function visible<Name extends keyof Config>(name: Name, config: Config): unknown {
  const { shown } = settings[name] as Setting<Config[Name]>
  return shown === undefined ? config[name] : shown(config[name])
}

function given(flags: Flags) {
  try {
    return readGivenConfig(flags, process.env)
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message)
    throw error
  }
}
