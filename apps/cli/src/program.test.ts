import { expect, it } from 'vitest'
import { primoHere } from './primo.fixture.js'
import { program } from './program.js'

const names = (await program()).commands.map((command) => command.name())

it.each(names)('%s --help has an example and exits with 0', async (name) => {
  const { code, stdout, stderr } = await primoHere(name, '--help')
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/Examples?:/)
  expect(stdout).toContain(`primo ${name}`)
})

it('without a command lists all of them', async () => {
  const { stdout } = await primoHere('--help')
  for (const name of names) expect(stdout).toContain(`\n  ${name}`)
})

it('study lists the studies and refuses an unknown one', async () => {
  expect((await primoHere('study')).stdout).toContain('baselines')
  const { code, stderr } = await primoHere('study', 'alchemy')
  expect(code).toBe(2)
  expect(stderr).toContain('"alchemy"')
})
