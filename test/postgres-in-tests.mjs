// A PostgreSQL server for the tests of one file. Where none can be started they are skipped, visibly; with PRIMO_REQUIRE_POSTGRES
// they fail then.

import { afterAll, beforeAll } from 'vitest'
import { startPostgres } from './postgres-server.mjs'

/** Gives the address of a new, empty database, or skips the test that asks. */
export function postgresInTests() {
  let server
  let failure
  beforeAll(async () => {
    try {
      server = await startPostgres()
    } catch (error) {
      failure = error
    }
    if (failure !== undefined && process.env.PRIMO_REQUIRE_POSTGRES !== undefined) throw failure
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
  }, 60_000)
  return async (context, name) => {
    if (server === undefined) context.skip(`no PostgreSQL server could be started: ${String(failure)}`)
    return server.createDatabase(name)
  }
}
