// The image, built in folders, then run as its user: it becomes healthy, decides, writes below /data only, and stops at once.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { buildInFolder, ignored } from './image-in-folder.mjs'

/** `checkout`: a repository; `target`: an empty folder. Returns what there is to say. */
export async function checkImage(checkout, target, say) {
  const context = join(target, 'context')
  const isIgnored = ignored(join(checkout, 'deploy/Dockerfile.dockerignore'))
  cpSync(checkout, context, { recursive: true, filter: (path) => !isIgnored(relative(checkout, path)) })
  chmodSync(target, 0o755)
  const image = buildInFolder(join(context, 'deploy/Dockerfile'), context, target, say)
  return runImage(image)
}

/** Runs what was built in folders. */
export async function runImage(image) {
  const { root, user } = image
  const size = bytesOf(join(root, 'app'))
  mkdirSync(join(root, 'tmp'), { mode: 0o777 })
  chmodSync(join(root, 'tmp'), 0o777)
  const port = await freePort()
  const asUser = process.getuid() === 0 ? { uid: user[0], gid: user[1] } : {}
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    TMPDIR: join(root, 'tmp'),
    ...image.env,
    PRIMO_PORT: String(port),
  }
  const [node, script] = image.entrypoint
  const made = spawnSync(node, [script, 'key', 'admin', '--json'], { env, ...asUser, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`the command does not run: ${made.error ?? made.stderr}`)
  const { entry, secret } = JSON.parse(made.stdout)
  const onnx = spawnSync(node, ['--input-type=module', '-e', ONNX], {
    env,
    ...asUser,
    cwd: join(root, 'app/apps/service'),
  })
  if (onnx.status !== 0) throw new Error(`ONNX models cannot be run: ${onnx.stderr}`)
  const service = spawn(node, [script, ...image.command], {
    cwd: join(root, image.folder),
    env: { ...env, PRIMO_KEYS: entry },
    stdio: ['ignore', 'ignore', 'inherit'],
    ...asUser,
  })
  const exited = once(service, 'exit')
  const before = filesOf(join(root, 'app'))
  try {
    await healthy(image.health, env, exited)
    await decide(port, secret)
    const from = performance.now()
    service.kill(image.stop)
    const [code] = await exited
    const stopped = Math.round(performance.now() - from)
    if (code !== 0) throw new Error(`it ended with ${code}`)
    if (filesOf(join(root, 'app')) !== before) throw new Error('it wrote into its own folder')
    const user0 = asUser.uid === undefined ? 'this user' : `user ${asUser.uid}`
    return `ran as ${user0}, ${Math.round(size / 1e6)} MB of files, healthy, decided, stopped in ${stopped} ms`
  } finally {
    service.kill('SIGKILL')
  }
}

/** No model, which is said once the WebAssembly has been loaded. */
const ONNX = `
const { InferenceSession } = await import('onnxruntime-web')
const said = await InferenceSession.create(new Uint8Array(3)).catch((error) => error.message)
if (!/model/i.test(said)) throw new Error(said)
`

async function healthy([command, ...args], env, exited) {
  let ended = false
  exited.then(() => {
    ended = true
  })
  for (const end = Date.now() + 60_000; Date.now() < end && !ended; ) {
    const child = spawn(command, args, { env, stdio: 'ignore' })
    const [code] = await once(child, 'exit')
    if (code === 0) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('it does not become healthy')
}

async function decide(port, secret) {
  const call = async (method, path, body) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` }
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: JSON.stringify(body) })
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`)
    return reply.json()
  }
  const covariate = { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } }
  const number = { type: 'number', min: 0, max: 1 }
  const reward = { min: 0, max: 1 }
  await call('PUT', '/v1/problems/p', {
    context: { x: number },
    covariates: { z: covariate },
    actions: ['a', 'b'],
    reward,
  })
  await call('POST', '/v1/problems/p/decisions', { context: { x: 0.5 } })
  const page = await fetch(`http://127.0.0.1:${port}/`)
  if (!(await page.text()).includes('<div id="root">')) throw new Error('the page is not served')
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

function bytesOf(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0)
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true }).sort().join('\n')
}
