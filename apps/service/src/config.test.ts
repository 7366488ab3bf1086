import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { configSchema, readConfig, readGivenConfig, settingNames, startService } from '../dist/index.js'
import { temporaryFolder } from './running.fixture.js'

describe('where it listens', () => {
  test.each(['0.0.0.0', '::', '192.168.1.5', 'example.org'])('%s without keys is refused', async (host) => {
    const store = `sqlite:${temporaryFolder()}/never.db`
    await expect(startService({ host, store, logLevel: 'silent' })).rejects.toThrow(/keys must be given/)
  })

  test('keys of another form are refused without showing them', () => {
    expect(() => readConfig({ keys: 'admin:my-plain-secret' })).toThrow(/ROLE:SHA256/)
    expect(() => readConfig({ keys: 'admin:my-plain-secret' })).not.toThrow(/my-plain-secret/)
  })
})

describe('where settings come from', () => {
  const file = (fields: unknown) => {
    const path = `${temporaryFolder()}/primo.json`
    writeFileSync(path, typeof fields === 'string' ? fields : JSON.stringify(fields))
    return path
  }

  test('a flag over a variable over a secret in a file over a field over the default', () => {
    const config = file({ port: 1, host: 'h1', grace: 1, allowHost: ['A', 'b:1'], confirmClock: true })
    const environment = {
      PRIMO_CONFIG: config,
      PRIMO_PORT: '2',
      PRIMO_HOST: 'h2',
      PRIMO_STORE_FILE: file('sqlite:x\n'),
    }
    const given = readGivenConfig({ port: '3' }, environment)
    expect(given.config).toMatchObject({ port: 3, host: 'h2', grace: 1, store: 'sqlite:x', confirmClock: true })
    expect(given.config.allowHost).toEqual(['a', 'b:1'])
    const { port, host, grace, store, rateLimit } = given.origins
    expect([port, host, grace, store, rateLimit]).toEqual([
      '--port',
      'PRIMO_HOST',
      config,
      'PRIMO_STORE_FILE',
      'default',
    ])
  })

  test('an empty variable is none', () => {
    expect(readConfig({}, { PRIMO_PORT: '', PRIMO_KEYS: '' })).toMatchObject({ port: 8642, keys: [] })
  })

  test.each([
    [{ prot: 1 }, /only the fields .*, got "prot" \(did you mean "port"\?\)/],
    [{ port: 'many' }, /port must be a whole number from 0 to 65535, got "many" \(.*primo\.json\)/],
    [{ port: null }, /port must be a text, a number/],
    [{ basePath: 'primo' }, /basePath must be a path such as \/primo, got "primo"/],
    [{ confirmClock: 'maybe' }, /confirmClock must be true or false/],
    ['{', /config must be a JSON file/],
    [[], /config must be a JSON object/],
  ])('%j is refused', (fields, sentence) => {
    expect(() => readConfig({ config: file(fields) })).toThrow(sentence)
  })

  test('the schema of a file knows every setting', () => {
    expect(Object.keys((configSchema() as { properties: object }).properties)).toEqual(settingNames)
  })
})
