// A service under a path of a proxy, which passes the path on or takes it off.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { running, smallProblem, temporaryFolder } from '../running.fixture.js'

test('routes, page and redirects are under the path, and where it was taken off', async () => {
  const page = temporaryFolder()
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>page</title>')
  const { service, call, ok } = await running({ page, basePath: '/tools/primo' })
  expect(service().url).toMatch(/:\d+\/tools\/primo$/)
  await ok('PUT', '/tools/primo/v1/problems/p', smallProblem())
  expect(await ok('GET', '/v1/problems/p/summary')).toEqual(await ok('GET', '/tools/primo/v1/problems/p/summary'))
  for (const path of ['/tools/primo/', '/']) expect((await call('GET', path)).text).toContain('<title>page')
  const { server } = service()
  const location = async (url: string) => (await server.inject({ url })).headers.location
  expect(await location('/tools/primo')).toBe('/tools/primo/')
  expect(await location('/tools/primo/docs/static/index.html')).toBe('/tools/primo/docs/')
  expect((await call('GET', '/tools/primo/docs')).text).toContain('"/tools/primo/docs/static/')
  const { servers } = await ok<{ servers: unknown }>('GET', '/tools/primo/openapi.json')
  expect(servers).toMatchObject([{ url: '/tools/primo' }])
  expect((await call('GET', '/tools/primofoo/v1/problems/p/summary')).body.code).toBe('unknown-route')
})
