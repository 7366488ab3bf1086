// Runs with files of the user's: killed and resumed, on two threads, in parts, on a queue, and with a file that has changed.

import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { postgresInTests } from '../../../../test/postgres-in-tests.mjs'
import { jsonLines, primo, startPrimo, temporaryFolder } from '../primo.fixture.js'

const examples = join(import.meta.dirname, '../../../../examples/extending')
const newDatabase = postgresInTests()
const folder = temporaryFolder()
const world = join(examples, 'bikes.ts')
const policies = ['uniform', join(examples, 'maillard.ts'), join(examples, 'boltzmann.ts')].join(',')
const run = ['simulate', '--scenario', world, '--policies', policies, '--rounds', '300', '--repeats', '3']
const out = (name: string) => ['--out', join(folder, name)]
const rowsIn = (name: string) => readFileSync(join(folder, name, 'rows.jsonl'), 'utf8')

it('gives the same rows on one thread, and killed and resumed on two', async () => {
  expect(await primo(...run, '--workers', '1', ...out('one'))).toMatchObject({ code: 0 })
  const killed = join(folder, 'killed', 'rows.jsonl')
  const child = startPrimo(...run, '--workers', '2', ...out('killed'))
  for (let waited = 0; waited < 6000 && !(existsSync(killed) && statSync(killed).size > 0); waited++)
    await setTimeout(10)
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  const before = rowsIn('killed').split('\n').length - 1
  expect(before).toBeLessThan(9)
  const resumed = await primo(...run, '--workers', '2', ...out('killed'))
  expect(resumed.stderr).toContain(`${before} of 9 cells were already finished`)
  expect(rowsIn('killed')).toBe(rowsIn('one'))
  const names = jsonLines(rowsIn('one')).map(({ row }) => (row as { policy: string }).policy)
  expect(names.slice(0, 3)).toEqual(['uniform', 'maillard', 'boltzmann'])
})

it('gives the same rows in parts', async () => {
  await Promise.all(['1', '2'].map((part) => primo(...run, '--shard', `${part}/2`, ...out(`part-${part}`))))
  await primo('merge', join(folder, 'part-1'), join(folder, 'part-2'), ...out('merged'))
  expect(rowsIn('merged')).toBe(rowsIn('one'))
})

it('refuses to go on with a file that has changed, or that another part had otherwise', async () => {
  const file = join(folder, 'policy.mjs')
  const write = (share: number) =>
    writeFileSync(
      file,
      `import { alike } from './alike.mjs'
       export const mine = { name: 'mine', start: ({ actions }) => ({ decide: (seen, p) => alike(p, actions, ${share}), learn: () => {} }) }`,
    )
  writeFileSync(join(folder, 'alike.mjs'), 'export const alike = (p, n, share) => p.fill(1 / n)')
  write(1)
  const own = ['simulate', '--scenario', 'bandit', '--policies', file, '--rounds', '50', '--repeats', '1', '--out']
  expect((await primo(...own, join(folder, 'own'))).code).toBe(0)
  const refused = async () => {
    const { code, stderr } = await primo(...own, join(folder, 'own'))
    expect(code).toBe(2)
    expect(stderr).toContain(`--out must hold a run by the same code`)
    expect(stderr).toContain('has changed since; choose another folder or add --fresh')
  }
  write(2)
  await refused()
  write(1)
  // What it imports counts as well.
  writeFileSync(join(folder, 'alike.mjs'), 'export const alike = (p, n) => p.fill(1 / n) // the same by other words')
  await refused()
  expect((await primo(...own, join(folder, 'own'), '--fresh')).code).toBe(0)
})

it('says which policy broke the law, and what a file without a policy or a world is', async () => {
  const broken = join(folder, 'broken.mjs')
  writeFileSync(
    broken,
    `export const sloppy = { name: 'sloppy', start: () => ({ decide: (seen, p) => p.fill(0.3), learn: () => {} }) }`,
  )
  const flags = ['--rounds', '50', '--repeats', '1', '--workers', '1']
  const { code, stderr } = await primo('simulate', '--scenario', 'bandit', '--policies', broken, ...flags)
  expect(code).toBe(1)
  expect(stderr).toContain('policy "sloppy" must give propensities that sum to one, got 1.5')
  const none = await primo('simulate', '--scenario', broken, '--policies', 'uniform', ...flags)
  expect(none.code).toBe(2)
  expect(none.stderr).toContain(`a module must export an environment, got none from "${broken}"`)
})

it('replays a table of its own world with its own policies', async () => {
  const table = join(folder, 'bikes.csv')
  const written = await primo(
    'simulate',
    '--scenario',
    world,
    '--policies',
    'uniform',
    '--rounds',
    '400',
    '--write-table',
    table,
  )
  expect(written).toMatchObject({ code: 0 })
  const flags = ['--spec', `${table}.spec.json`, '--policies', `uniform,${join(examples, 'maillard.ts')}`, '--json']
  const { code, stdout, stderr } = await primo('replay', table, ...flags)
  expect(stderr).not.toContain('primo:')
  expect(code).toBe(0)
  const rows = jsonLines(stdout)
  expect(rows.map(({ policy }) => policy)).toEqual(['uniform', 'maillard'])
  const simulated = await primo(
    'simulate',
    '--scenario',
    world,
    '--policies',
    join(examples, 'maillard.ts'),
    '--rounds',
    '400',
    '--repeats',
    '1',
    '--json',
  )
  expect(rows[1]!.reward).toBe(jsonLines(simulated.stdout)[0]!.reward)
})

it('runs on a queue where the worker was given the same files, and not where it has others', async (context) => {
  const address = await newDatabase(context, 'own_code')
  const small = ['simulate', '--scenario', world, '--policies', 'uniform,primo', '--rounds', '200', '--repeats', '2']
  await primo(...small, '--out', join(folder, 'local'))
  const other = join(folder, 'other.ts')
  copyFileSync(world, other)
  writeFileSync(other, `${readFileSync(other, 'utf8')}\n// changed`)
  const stranger = startPrimo('worker', '--queue', address, '--use', other, '--workers', '1')
  const refused = await primo(...small, '--queue', address, '--out', join(folder, 'refused'))
  stranger.kill('SIGKILL')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('must be the file that the run began with')
  const worker = startPrimo('worker', '--queue', address, '--use', world, '--workers', '1')
  const queued = await primo(...small, '--queue', address, '--out', join(folder, 'queued'))
  worker.kill('SIGKILL')
  expect(queued.code).toBe(0)
  expect(rowsIn('queued')).toBe(rowsIn('local'))
})
