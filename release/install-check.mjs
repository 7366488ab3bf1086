// Whether a stranger can use the packages: installs the tarballs of out/packages in an empty folder outside of the repository, type-checks
// and runs the first program of each README there, and asks the installed command for help.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Only compiled: it needs a running service. */
const NOT_RUN = ['client']

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const packed = join(root, 'out/packages')
const folder = mkdtempSync(join(tmpdir(), 'primo-install-'))
const run = (command, args) =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** The first program of a README; undefined: it has none. */
function programOf(name) {
  const readme = join(folder, 'node_modules/@primo', name, 'README.md')
  if (!existsSync(readme)) throw new Error(`@primo/${name} must come with a README`)
  return /```ts\n([\s\S]*?)```/.exec(readFileSync(readme, 'utf8'))?.[1]
}

try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const tarballs = readdirSync(packed).map((file) => join(packed, file))
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...tarballs])

  const names = readdirSync(join(folder, 'node_modules/@primo'))
  const programs = names.filter((name) => programOf(name) !== undefined)
  for (const name of programs) writeFileSync(join(folder, `${name}.ts`), programOf(name))
  const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--lib', 'es2023,dom', '--skipLibCheck']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  run(process.execPath, [tsc, ...options, ...programs.map((name) => `${name}.ts`)])
  for (const name of programs.filter((name) => !NOT_RUN.includes(name))) {
    const said = run(process.execPath, [`${name}.js`]).trim()
    if (said === '') throw new Error(`the program of @primo/${name} must say something`)
    console.log(`@primo/${name}: ${said.split('\n')[0]}`)
  }

  const help = run(join(folder, 'node_modules/.bin/primo'), ['--help'])
  if (!/Usage: primo/.test(help)) throw new Error(`primo --help must say how it is used, got ${help}`)
  console.log(`${names.length} packages install, ${programs.length} programs compile, primo --help answers`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
