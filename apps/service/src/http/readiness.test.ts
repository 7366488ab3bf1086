// A service that refuses a damaged problem says so to whoever asks for that problem, and to everybody if it refuses all.

import Database from 'libsql'
import { expect, test } from 'vitest'
import { running, smallProblem } from '../running.fixture.js'

test('readiness is false for a problem that is refused, and for all when no other is left', async () => {
  const service = await running()
  for (const name of ['p', 'q']) await service.ok('PUT', `/v1/problems/${name}`, smallProblem())
  const ready = async (query = '') => (await service.call('GET', `/readyz${query}`)).status
  expect([await ready(), await ready('?problem=p'), await ready('?problem=q')]).toEqual([200, 200, 200])
  const damage = async (name: string) => {
    await service.close()
    const db = new Database(`${service.folder}/primo.db`)
    db.exec(`update problems set book = replace(book, '"rounds":0', '"rounds":1') where name = '${name}'`)
    db.close()
    await service.restart()
    expect((await service.call('GET', `/v1/problems/${name}`)).body).toMatchObject({ code: 'store-damaged' })
  }
  await damage('p')
  expect([await ready(), await ready('?problem=p'), await ready('?problem=q')]).toEqual([200, 503, 200])
  expect((await service.call('GET', '/readyz')).body).toMatchObject({ status: 'ok', damaged: 1 })
  await damage('q')
  expect([await ready(), await ready('?problem=q')]).toEqual([503, 503])
})
