// A model refreshed from a service's own log: trained up to a cut, judged on later truths, put in the place of the one in use.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelFile } from '@primo/core'
import { Random } from '@primo/numeric'
import { expect, onTestFinished, test } from 'vitest'
import { jsonLines, primo, temporaryFolder } from '../primo.fixture.js'

const bin = join(import.meta.dirname, '../../bin/primo.js')

async function serve(store: string) {
  const flags = ['--port', '0', '--store', store, '--log-level', 'silent', '--json']
  const child = spawn(process.execPath, [bin, 'serve', ...flags])
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (data) => {
    said += data
  })
  await expect.poll(() => said, { timeout: 30_000 }).toContain('"url"')
  const { url } = jsonLines(said)[0] as { url: string }
  const stop = async () => {
    child.kill('SIGINT')
    await new Promise((resolve) => child.once('exit', resolve))
  }
  return { url, stop }
}

interface Info {
  readonly version: number
  readonly policy: { readonly epoch: number }
  readonly definition: { readonly covariates: { readonly z: { readonly imputer: Record<string, unknown> } } }
}

test('trained, judged by later truths and promoted, with rewards kept', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder()
  const store = `sqlite:${join(folder, 'primo.db')}`
  let { url, stop } = await serve(store)
  const send = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await fetch(`${url}/v1/problems/p${path}`, { method, headers, ...sent })
    expect(reply.ok, await reply.clone().text()).toBe(true)
    return (await reply.json()) as T
  }
  await send('PUT', '', {
    context: { x: { type: 'number', min: 0, max: 1 } },
    covariates: { z: { type: 'number', min: -1, max: 2, imputer: { kind: 'constant', value: 0.5 } } },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  })
  const random = Random.fromSeed(6)
  let event = 0
  const play = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const x = random.uniform()
      const z = random.uniform() < 0.3 ? null : x + 0.1 * random.normal()
      const eventId = `e${event++}`
      const { action } = await send<{ action: string }>('POST', '/decisions', {
        eventId,
        context: { x },
        covariates: { z },
      })
      await send('POST', `/decisions/${eventId}/reward`, { value: action === 'a' ? x : 0.5 })
    }
  }
  await play(60)
  const file = join(folder, 'next.json')
  const at = ['--url', url, '--problem', 'p']
  const trained = await primo('train', ...at, '--classes', 'linear', '--out', file)
  expect(trained.code, trained.stderr).toBe(0)
  expect(trained.stdout).toMatch(/^z is best predicted by linear/)
  const { models } = JSON.parse(readFileSync(file, 'utf8')) as ModelFile
  expect(models[0]!.card).toMatchObject({ source: 'log of p', rows: 60, cut: 60 })
  const second = join(folder, 'second.json')
  await primo('train', ...at, '--classes', 'linear', '--weights', 'observation', '--out', second)

  // Nothing is later yet.
  expect((await primo('train', ...at, '--shadow', file)).stderr).toContain('no round is later than 60')
  await play(60)
  const before = await send<Info>('GET', '')
  const judged = await primo('train', ...at, '--shadow', file, '--promote')
  expect(judged.stderr).toBe('')
  expect(judged.stdout).toContain(
    'z: the model in the shadow is better than the model in use: root mean squared error 0.',
  )
  expect(judged.stdout).toContain('promoted (recalibrated): z')
  const { definition, version, policy } = await send<Info>('GET', '')
  expect(version).toBe(1)
  expect(definition.covariates.z.imputer).toMatchObject({ kind: 'trained', version: 'log to round 60' })
  expect(policy.epoch).toBeGreaterThanOrEqual(before.policy.epoch)
  expect(before.policy.epoch).toBeGreaterThan(0)

  // The same from the file once no service has it.
  await stop()
  const kept = ['train', '--store', store, '--problem', 'p', '--shadow', second]
  expect((await primo(...kept)).stdout).toContain('z: the model in the shadow is better than the model in use')
  const promoted = await primo(...kept, '--promote', '--json')
  expect(promoted.stderr).toBe('')
  expect(JSON.parse(promoted.stdout)).toMatchObject({
    change: 'recalibrated',
    judged: [{ covariate: 'z', better: true }],
  })
  const again = await primo('train', '--store', store, '--problem', 'p', '--classes', 'linear', '--json')
  expect((JSON.parse(again.stdout) as ModelFile).models[0]!.card.cut).toBe(120)

  // A service that starts afterwards has the promoted model, and what was learnt.
  ;({ url, stop } = await serve(store))
  const after = await send<Info>('GET', '')
  const { models: others } = JSON.parse(readFileSync(second, 'utf8')) as ModelFile
  expect(others[0]!.fingerprint).not.toBe(models[0]!.fingerprint)
  expect(after.definition.covariates.z.imputer).toMatchObject({ model: { fingerprint: others[0]!.fingerprint } })
  expect(after.version).toBe(1)
  expect(after.policy.epoch).toBeGreaterThanOrEqual(policy.epoch)
  await stop()
})

test('flags that do not go together are refused', async () => {
  const refused = async (...flags: string[]) => (await primo('train', ...flags)).stderr
  expect(await refused('--covariate', 'z')).toContain('a table, --store or --url must be given')
  expect(await refused('x.csv', '--promote')).toContain('--promote must be given with --shadow')
  expect(await refused('x.csv', '--shadow', 'm.json')).toContain('--shadow must be given with --store or --url')
  expect(await refused('--store', 'sqlite:nowhere.db', '--problem', 'p')).toContain('must be there, got none')
})
