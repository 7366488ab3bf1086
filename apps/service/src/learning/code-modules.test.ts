// Rules and classes that the operator brings: problems name them by kind, threads load the same files, and nothing of it comes over the wire.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { boltzmann } from '../../../../examples/extending/boltzmann.js'
import { nearestNeighbours } from '../../../../examples/extending/nearest-neighbours.js'
import { openRawStore, replayProblem, startService, verifyStore } from '../../dist/index.js'
import { running, temporaryFolder } from '../running.fixture.js'

const examples = join(import.meta.dirname, '../../../../examples/extending')
const use = [join(examples, 'boltzmann.ts'), join(examples, 'nearest-neighbours.ts')]

const definition = {
  context: { x: { type: 'number', min: 0, max: 1 } },
  covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
  learning: {
    profile: 'primo-cal',
    seed: 3,
    exploration: { kind: 'boltzmann', options: { temperature: 0.1 } },
    oracle: { kind: 'nearest-neighbours' },
    calibration: { class: { kind: 'nearest-neighbours', options: { k: 5 } } },
  },
}

async function play(service: Awaited<ReturnType<typeof running>>, from: number, to: number): Promise<void> {
  for (let t = from; t < to; t++) {
    const x = (t % 10) / 10
    const { action } = await service.ok<{ action: string }>('POST', '/v1/problems/own/decisions', {
      eventId: `e${t}`,
      context: { x },
      covariates: { z: t % 3 === 0 ? null : 1 - x },
    })
    await service.ok('POST', `/v1/problems/own/decisions/e${t}/reward`, { value: action === 'a' ? x : 1 - x })
  }
}

it('decides and learns by code that was named at the start, and a replay finds the same bytes', async () => {
  const service = await running({ use })
  await service.ok('PUT', '/v1/problems/own', definition)
  await play(service, 0, 70)
  await service.learnt('own')
  const stored = await service.ok<{ definition: typeof definition }>('GET', '/v1/problems/own')
  expect(stored.definition.learning).toEqual({
    ...definition.learning,
    exploration: { ...definition.learning.exploration, version: '1' },
    oracle: { kind: 'nearest-neighbours', version: '1' },
    calibration: { class: { kind: 'nearest-neighbours', version: '1', options: { k: 5 } } },
  })
  const explained = await service.ok<{ reply: { propensities: object }; sweep: object }>(
    'GET',
    '/v1/problems/own/decisions/e69',
  )
  expect(Object.keys(explained.sweep)).toEqual(['z'])
  await service.restart()
  // The same definition, as it was sent, changes nothing.
  expect(await service.ok('PUT', '/v1/problems/own', definition)).toMatchObject({ change: 'unchanged' })
  await play(service, 70, 140)
  await service.learnt('own')
  const { policies, different } = await replayProblem(service.service().store, 'own', [boltzmann, nearestNeighbours])
  expect(policies).toBeGreaterThan(1)
  expect(different).toEqual([])
  const store = await openRawStore(`sqlite:${service.folder}/primo.db`)
  const own = await verifyStore(store, [boltzmann, nearestNeighbours])
  expect(own).toMatchObject({ damage: [], propensities: 140 })
  const without = await verifyStore(store)
  expect(without.damage[0]?.detail).toContain('that of a rule in the option "use", got "boltzmann"')
  await store.close()
})

it('takes no code from the wire and refuses kinds that are not in use', async () => {
  const service = await running()
  for (const [learning, sentence] of [
    [definition.learning, 'or that of a rule in the option "use", got "boltzmann"'],
    [{ use: [{ kind: 'boltzmann', version: '1' }] }, 'learning.use must be absent'],
    [{ use: [use[0]] }, 'learning.use must be absent'],
  ] as const) {
    const { status, body } = await service.call('PUT', '/v1/problems/own', { ...definition, learning })
    expect(status).toBe(422)
    expect(body.detail).toContain(sentence)
  }
})

it('does not start where a problem needs code that is missing or of another version, and says which', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'rule.mjs')
  const write = (version: string) =>
    writeFileSync(
      file,
      `export const rule = { kind: 'alike', version: '${version}', compile: () => (s, w, count, out, at = 0) => out.fill(1 / count, at, at + count) }`,
    )
  write('1')
  const service = await running({ use: [file] }, folder)
  await service.ok('PUT', '/v1/problems/own', { ...definition, learning: { exploration: { kind: 'alike' } } })
  await service.close()
  const start = (more: object) =>
    startService({ store: `sqlite:${folder}/primo.db`, port: 0, logLevel: 'silent', ...more })
  await expect(start({})).rejects.toThrow(
    'use must name a module that exports "alike" in version "1", which problem "own" was defined with, got none of that kind',
  )
  const other = join(folder, 'other.mjs')
  writeFileSync(other, `export const rule = { kind: 'alike', version: '2', compile: () => () => {} }`)
  await expect(start({ use: [other] })).rejects.toThrow('got version "2"')
  await expect(start({ use: [join(folder, 'none.mjs')] })).rejects.toThrow('a module must be a file that can be read')
  writeFileSync(join(folder, 'empty.mjs'), 'export const nothing = 1')
  await expect(start({ use: [join(folder, 'empty.mjs')] })).rejects.toThrow('must export an exploration rule')
  await (await start({ use: [file] })).close()
})
