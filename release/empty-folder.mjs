// An empty folder outside of the repository, as a stranger's project begins: packages are installed there from out/packages.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
export const folder = mkdtempSync(join(tmpdir(), 'primo-install-'))
export const primo = join(folder, 'node_modules/.bin/primo')

const packed = join(root, 'out/packages')
const TSC = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--lib', 'es2023,dom', '--skipLibCheck']
const NODE_TYPES = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]

writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))

export function removeFolder() {
  rmSync(folder, { recursive: true, force: true })
}

export function run(command, ...args) {
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}

export function write(name, text) {
  writeFileSync(join(folder, name), text)
}

/** Without names: all packages. A package that does not promise to run on this Node is a failure. */
export function install(...names) {
  const isWanted = (file) => names.length === 0 || names.some((name) => file.startsWith(`primo-${name}-`))
  const tarballs = readdirSync(packed).filter(isWanted)
  const paths = tarballs.map((file) => join(packed, file))
  run('npm', 'install', '--silent', '--no-audit', '--no-fund', '--engine-strict', ...paths)
}

export function installedNames() {
  return readdirSync(join(folder, 'node_modules/@primo'))
}

export function nativeModules() {
  return readdirSync(join(folder, 'node_modules'), { recursive: true }).filter((file) => file.endsWith('.node'))
}

/** The program of an installed README; undefined: it has none. */
export function programOf(name) {
  const readme = readFileSync(join(folder, 'node_modules/@primo', name, 'README.md'), 'utf8')
  return /```ts\n([\s\S]*?)```/.exec(readme)?.[1]
}

export function compile(...files) {
  run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), ...TSC, ...NODE_TYPES, ...files)
}

/** Runs the installed service while `use` is at work with its address. */
export async function withService(use) {
  const flags = ['--store', 'sqlite:primo.db', '--port', '0', '--models', 'models', '--log-level', 'warn', '--json']
  const service = spawn(primo, ['serve', ...flags], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(service, 'exit')
  try {
    const [line] = await Promise.race([once(service.stdout, 'data'), exited.then(() => ['null'])])
    await use(JSON.parse(line).url)
  } finally {
    service.kill('SIGTERM')
    await exited
  }
}
