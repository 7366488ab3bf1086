// The bundles that `npm run build` makes: which modules a process or thread loads from them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const apps = join(import.meta.dirname, '../..')

/** Modules in a file of the bundle and in the files that it imports at once, by their places in the repository. */
function modulesOf(app: string, name: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(name)) return []
  seen.add(name)
  const code = readFileSync(join(apps, app, 'dist/bundle', name), 'utf8')
  // The bundler writes the path of every module above its code.
  const modules = [...code.matchAll(/^\/\/ ((?:packages|apps|node_modules)\/\S+)$/gm)].map(([, path]) => path!)
  const imported = [...code.matchAll(/^import[^'"(]*['"]\.\/([^'"]+)['"]/gm)].map(([, file]) => file!)
  return [...modules, ...imported.flatMap((file) => modulesOf(app, file, seen))]
}

const own = (modules: readonly string[]) => modules.filter((path) => /^(packages|apps)\//.test(path))
const lab = (modules: readonly string[]) => modules.filter((path) => path.startsWith('packages/lab/'))

it('the list of commands loads no command', () => {
  expect(own(modulesOf('cli', 'main.js')).toSorted()).toEqual([
    'apps/cli/dist/main.js',
    'apps/cli/dist/output.js',
    'apps/cli/dist/program.js',
    'packages/numeric/dist/errors.js',
  ])
})

describe.each(['cli', 'service'])('a thread of %s', (app) => {
  it('that writes loads settling and the store, and one file of the lab', () => {
    const modules = modulesOf(app, 'writer-thread.js')
    expect(own(modules).length).toBeGreaterThan(30)
    expect(own(modules).length).toBeLessThanOrEqual(65)
    expect(lab(modules)).toEqual(['packages/lab/dist/statistics/confidence-sequence.js'])
  })

  it.each(['learner-thread.js', 'check-thread.js', 'reading-thread.js', 'model-thread.js', 'evaluation-process.js'])(
    '%s loads no environment and no simulation of the lab, and no server',
    (name) => {
      const modules = modulesOf(app, name)
      expect(own(modules).length).toBeGreaterThan(0)
      const wrong = /^packages\/lab\/dist\/(environments|simulation|runs)\/|node_modules\/fastify\//
      expect(modules.filter((path) => wrong.test(path))).toEqual([])
    },
  )
})
