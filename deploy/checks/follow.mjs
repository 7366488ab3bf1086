// Follows docs/deploy.md in a fresh copy of the repository, as far as this machine allows.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { startPostgres } from '../../test/postgres-server.mjs'
import { ignored } from './image-in-folder.mjs'
import { stepsOf } from './steps.mjs'
import { has, hasCompose } from './tools.mjs'

const TOOLS = ['systemd-analyze', 'caddy', 'helm', 'kubernetes-validate']

/** Returns the steps that were not run, with what they need; throws where one fails. */
export async function follow(root, folder, say) {
  const checkout = join(folder, 'checkout')
  const isIgnored = ignored(join(root, 'deploy/Dockerfile.dockerignore'))
  cpSync(root, checkout, { recursive: true, filter: (path) => !isIgnored(relative(root, path)) })
  const postgres = await startPostgres().catch((error) => {
    say(`no PostgreSQL: ${error.message}`)
    return null
  })
  try {
    const can = (needs) =>
      needs === null ||
      (TOOLS.includes(needs) && has(needs)) ||
      (needs === 'docker compose' && hasCompose()) ||
      (needs === 'postgres' && postgres !== null)
    const steps = stepsOf(join(root, 'docs/deploy.md'))
    const ours = steps.filter(({ needs }) => can(needs))
    const store = postgres === null ? null : await postgres.createDatabase('deploy')
    await runAll(ours, checkout, store, say)
    return steps.filter((step) => !ours.includes(step))
  } finally {
    await postgres?.stop()
  }
}

async function runAll(steps, checkout, store, say) {
  const ports = { 8642: await freePort(), 8643: await freePort(), 8443: await freePort() }
  // Ports of this machine may be taken, and the database is another one: nothing else differs from the page.
  const here = (text) =>
    text
      .replaceAll(/\b(8642|8643|8443)\b/g, (port) => ports[port])
      .replace(/^export STORE=.*$/m, `export STORE='${store}'`)
  const parts = steps.map(({ text }, k) => `echo "@@${k}"\n${here(text)}`)
  const stop = `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT`
  writeFileSync(join(checkout, 'follow.sh'), `set -euo pipefail\n${stop}\n${parts.join('\n')}`)
  const env = { ...process.env, PRIMO_PORT: String(ports[8642]), HOME: checkout, PRIMO_KEY: '' }
  const shell = spawn('bash', ['follow.sh'], { cwd: checkout, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let at = -1
  let said = ''
  const hear = (bytes) => {
    for (const line of bytes.toString().split('\n')) {
      const [, begun] = /^@@(\d+)$/.exec(line) ?? []
      if (begun === undefined) {
        said = `${said}${line}\n`.slice(-4000)
        continue
      }
      at = Number(begun)
      said = ''
      say(`${steps[at].heading}: ${steps[at].text.trim().split('\n')[0]}`)
    }
  }
  shell.stdout.on('data', hear)
  shell.stderr.on('data', hear)
  const [code] = await once(shell, 'close')
  if (code !== 0) throw new Error(`"${steps[at]?.heading}" ended with ${code}:\n${steps[at]?.text}\n${said}`)
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}
