// Commands that read or change a store make none by a slip in its address; those that may are named here.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { jsonLines, primo, primoHere, temporaryFolder } from '../primo.fixture.js'
import { program } from '../program.js'

/** What follows the command, with the store at the end. */
const MAKE_NONE: Readonly<Record<string, readonly string[]>> = {
  'keys list': ['--store'],
  'keys rotate': ['ada', '--store'],
  'keys revoke': ['ada', '--store'],
  forget: ['--problem', 'p', '--subject', 's', '--store'],
  export: ['--problem', 'p', '--out', 'never.csv', '--store'],
  doctor: ['--store'],
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

test('every command with a store is in one of the lists', async () => {
  const listed = new Set([...Object.keys(MAKE_NONE), ...MAY_MAKE])
  const found = (await program()).commands.flatMap((command) => all(command)).filter(([, one]) => usesStore(one))
  expect(found.map(([name]) => name).filter((name) => !listed.has(name))).toEqual([])
})

test.each(Object.entries(MAKE_NONE))('%s makes no store', async (name, rest) => {
  const folder = join(temporaryFolder(), 'typo')
  const more = name === 'repair' ? [`sqlite:${folder}/new.db`] : name === 'backup' ? [`${folder}/copy.db`] : []
  const { code, stderr } = await primoHere(...name.split(' '), ...rest, `sqlite:${folder}/primo.db`, ...more)
  expect(code).toBeGreaterThan(0)
  expect(stderr).toContain(`the file ${folder}/primo.db must be there, got none`)
  expect(existsSync(folder)).toBe(false)
})

test('a store is backed up, restored and looked at', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder()
  const store = `sqlite:${folder}/primo.db`
  await primo('keys', 'add', 'ada', '--role', 'admin', '--store', store)
  const saved = await primo('backup', store, `${folder}/saved.db`)
  expect(saved).toMatchObject({ code: 0, stdout: expect.stringContaining('damaged      0') })
  expect(await primo('restore', `${folder}/saved.db`, `sqlite:${folder}/back.db`)).toMatchObject({ code: 0 })
  const keys = await primo('keys', 'list', '--store', `sqlite:${folder}/back.db`)
  expect(keys.stdout).toMatch(/^ada {2}admin/)
  const looked = await primo('doctor', '--store', store, '--json')
  expect(looked.code).toBe(0)
  const { findings } = jsonLines(looked.stdout)[0] as { findings: { check: string; state: string }[] }
  expect(findings.map(({ check }) => check)).toEqual(['format', 'integrity', 'disk', 'clock', 'rights'])
})
