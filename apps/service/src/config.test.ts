import { describe, expect, test } from 'vitest'
import { readConfig, startService } from '../dist/index.js'
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
