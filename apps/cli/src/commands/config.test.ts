import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { jsonLines, primo, temporaryFolder } from '../primo.fixture.js'

test('settings with their origins, without secrets', async () => {
  const file = join(temporaryFolder(), 'primo.json')
  writeFileSync(file, JSON.stringify({ rateLimit: 600, keys: [`admin:${'ab'.repeat(32)}`] }))
  vi.stubEnv('PRIMO_STORE', 'postgres://ada:p4ss@db/primo?password=p4ss')
  onTestFinished(() => void vi.unstubAllEnvs())
  const args = ['config', '--config', file, '--port', '9000']
  const [json] = jsonLines((await primo(...args, '--json')).stdout)
  expect(json).toMatchObject({
    store: { value: 'postgres://ada:***@db/primo?password=***', origin: 'PRIMO_STORE' },
    port: { value: 9000, origin: '--port' },
    rateLimit: { value: 600, origin: file },
    keys: { value: ['admin:***'], origin: file },
    host: { value: '127.0.0.1', origin: 'default' },
  })
  const { stdout } = await primo(...args)
  expect(stdout).toMatch(/^port +9000 +--port$/m)
  for (const secret of ['p4ss', 'abab']) expect(stdout).not.toContain(secret)
})

test('a setting that cannot be is bad usage', async () => {
  expect(await primo('config', '--port', 'many')).toMatchObject({
    code: 2,
    stderr: 'primo: port must be a whole number from 0 to 65535, got "many"\n',
  })
})
