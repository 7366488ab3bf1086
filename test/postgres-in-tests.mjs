// A PostgreSQL server for the tests of one file. Where none can be started they are skipped, visibly; with PRIMO_REQUIRE_POSTGRES
// they fail then, and so do hooks, which cannot skip.

import { afterAll, beforeAll } from 'vitest'
import { startPostgres } from './postgres-server.mjs'

/** Gives the address of a new, empty database, or skips the test that asks; a hook has no context to give and fails. */
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
    if (server === undefined) {
      const reason = `no PostgreSQL server could be started: ${String(failure)}`
      context?.skip(reason)
      throw new Error(reason)
    }
    return server.createDatabase(name)
  }
}
