// The tests of clients/python, in an environment of its own under out/python: types, calls to the real service, the README's lines, the
// notebooks. Needs python3 (or PRIMO_PYTHON) 3.11 or newer that can make an environment. Says how long each step took. With --prepare it
// only makes the environment.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const client = join(root, 'clients/python')
const environment = join(root, 'out/python')
const python = join(environment, 'bin/python')
const found = process.env.PRIMO_PYTHON ?? 'python3'

const VERSION = 'import sys; print(sys.version); sys.exit(sys.version_info < (3, 11))'

function works(command, ...args) {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** False: there is no way. Debian's python3 makes environments without pip unless python3-venv is installed. */
function makeEnvironment() {
  const ways = [
    () => works(found, '-m', 'venv', environment),
    () => works(found, '-m', 'virtualenv', environment),
    () => works(found, '-m', 'venv', '--without-pip', environment) && works(found, '-m', 'pip', '--version'),
  ]
  return ways.some((way) => {
    rmSync(environment, { recursive: true, force: true })
    return way()
  })
}

/** The environment as the requirements say; another Python, or others, make a new one. */
function prepare() {
  const stamp = join(environment, 'made-for')
  const version = execFileSync(found, ['-c', VERSION], { encoding: 'utf8' })
  const requirements = join(client, 'requirements-test.txt')
  const wanted = version + readFileSync(requirements, 'utf8')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  if (!makeEnvironment()) giveUp(`${found} can make no environment: install python3-venv or pip`)
  install('--no-compile', '--requirement', requirements)
  writeFileSync(stamp, wanted)
}

/** Debian's own pip can install into an environment that has none. */
function install(...what) {
  const pip = existsSync(join(environment, 'bin/pip'))
    ? [python, '-m', 'pip']
    : [found, '-m', 'pip', '--python', python]
  const [command, ...args] = pip
  const flags = ['install', '--quiet', '--no-input', '--disable-pip-version-check', ...what]
  execFileSync(command, [...args, ...flags], { stdio: 'inherit' })
}

function giveUp(sentence) {
  const allowed = process.env.PRIMO_ALLOW_NO_PYTHON !== undefined
  console.log(`${sentence}${allowed ? '; clients/python was not tested' : ', or set PRIMO_ALLOW_NO_PYTHON=1'}`)
  process.exit(allowed ? 0 : 1)
}

async function step(title, work) {
  const start = performance.now()
  await work()
  console.log(`${((performance.now() - start) / 1000).toFixed(1).padStart(6)} s  ${title}`)
}

async function run(...args) {
  const child = spawn(python, args, { cwd: client, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) process.exitCode = 1
}

if (!works(found, '-c', VERSION)) giveUp(`the tests of clients/python need ${found} 3.11 or newer`)
await step('the environment', prepare)
if (process.argv.includes('--prepare')) process.exit()
await step('the package', () => install('--no-deps', '--no-build-isolation', client))
await step('types and tests', () =>
  Promise.all([run('-m', 'mypy', '--cache-dir', join(environment, 'mypy')), run('-m', 'pytest', '--durations=5')]),
)
