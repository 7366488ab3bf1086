import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { primo, primoProcess, temporaryFolder } from './primo.fixture.js'
import { commandNames, program } from './program.js'

const commands = await Promise.all(commandNames.map(async (name) => (await program(name)).commands[0]!))

it.each(commandNames)('%s --help, as a process, has an example and exits with 0', async (name) => {
  const { code, stdout, stderr } = await primoProcess(name, '--help')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/Examples?:/)
  expect(stdout).toContain(`primo ${name}`)
})

it('every command, argument and option says what it is', async () => {
  const silent = (command: Command): string[] => [
    ...[command, ...command.options, ...command.registeredArguments]
      .filter((one) => (one instanceof Command ? one.description() : one.description).trim() === '')
      .map((one) => `${command.name()} ${one instanceof Command ? '' : 'long' in one ? one.long : one.name()}`),
    ...command.commands.flatMap(silent),
  ]
  expect(commands.flatMap(silent)).toEqual([])
})

it('without a command lists all of them', async () => {
  const { stdout } = await primo('--help')
  for (const name of commandNames) expect(stdout).toContain(`\n  ${name} `)
})

it('study lists the studies and refuses an unknown one', async () => {
  expect((await primo('study')).stdout).toContain('baselines')
  const { code, stderr } = await primo('study', 'alchemy')
  expect(code).toBe(2)
  expect(stderr).toContain('"alchemy"')
})

// Commands that read or change a store make none by a slip in its address; those that may are named here.

/** What follows the command, with the store at the end. */
const MAKE_NONE: Readonly<Record<string, readonly string[]>> = {
  'keys list': ['--store'],
  'keys rotate': ['ada', '--store'],
  'keys revoke': ['ada', '--store'],
  forget: ['--problem', 'p', '--subject', 's', '--store'],
  export: ['--problem', 'p', '--out', 'never.csv', '--store'],
  archive: ['--problem', 'p', '--out', 'never', '--store'],
  doctor: ['--store'],
  train: ['--problem', 'p', '--covariate', 'z', '--out', 'never.json', '--store'],
  verify: [],
  repair: [],
  backup: [],
}

/** They begin a store: to serve it, to fill it, to test it, to print where it would be. */
const MAY_MAKE = ['demo', 'serve', 'config', 'keys add', 'import', 'durability', 'restore']

function usesStore({ options, registeredArguments }: Command): boolean {
  return options.some(({ long }) => long === '--store') || registeredArguments.some((one) => one.name() === 'store')
}

function all(command: Command, before = ''): [string, Command][] {
  const name = `${before}${command.name()}`
  return [[name, command], ...command.commands.flatMap((inner) => all(inner, `${name} `))]
}

it('every command with a store is in one of the lists', async () => {
  const listed = new Set([...Object.keys(MAKE_NONE), ...MAY_MAKE])
  const found = commands.flatMap((command) => all(command)).filter(([, one]) => usesStore(one))
  expect(found.map(([name]) => name).filter((name) => !listed.has(name))).toEqual([])
})

it.each(Object.entries(MAKE_NONE))('%s makes no store', async (name, rest) => {
  const folder = join(temporaryFolder(), 'typo')
  const more = name === 'repair' ? [`sqlite:${folder}/new.db`] : name === 'backup' ? [`${folder}/copy.db`] : []
  const { code, stderr } = await primo(...name.split(' '), ...rest, `sqlite:${folder}/primo.db`, ...more)
  expect(code).toBeGreaterThan(0)
  expect(stderr).toContain(`the file ${folder}/primo.db must be there, got none`)
  expect(existsSync(folder)).toBe(false)
})
