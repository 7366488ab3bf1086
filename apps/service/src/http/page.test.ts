// The page's own routes.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { running, temporaryFolder } from '../running.fixture.js'

describe('the page', () => {
  it('is served at /, with long-lived assets, and tells what it must know', async () => {
    const page = temporaryFolder()
    mkdirSync(join(page, 'assets'))
    writeFileSync(join(page, 'index.html'), '<!doctype html><title>page</title>')
    writeFileSync(join(page, 'assets/a-1.js'), '1')
    const service = await running({ page, comparison: () => ({ problems: [] }) })
    expect((await service.call('GET', '/')).text).toContain('<title>page')
    expect((await service.call('GET', '/assets/a-1.js')).status).toBe(200)
    expect((await service.call('GET', '/../package.json')).status).toBe(404)
    expect(await service.ok('GET', '/page/settings')).toEqual({ keys: false, comparison: true, holder: null })
    expect(await service.ok('GET', '/demo/comparison')).toEqual({ problems: [] })
    expect((await service.call('GET', '/nothing')).body.code).toBe('unknown-route')
  })

  it('says what to do where it is not built, and has no comparison outside the demo', async () => {
    const service = await running({ page: join(temporaryFolder(), 'missing') })
    expect((await service.call('GET', '/')).text).toContain('npm run build')
    expect((await service.call('GET', '/demo/comparison')).status).toBe(404)
    expect(await service.ok('GET', '/page/settings')).toEqual({ keys: false, comparison: false, holder: null })
  })
})
