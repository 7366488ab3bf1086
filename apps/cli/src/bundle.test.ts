// The bundle that `npm run build` makes: which modules a process or thread loads from it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const folder = join(import.meta.dirname, '../dist/bundle')

/** Modules in a file of the bundle and in the files that it imports at once, by their places in the repository. */
function modulesOf(name: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(name)) return []
  seen.add(name)
  const code = readFileSync(join(folder, name), 'utf8')
  // The bundler writes the path of every module above its code.
  const modules = [...code.matchAll(/^\/\/ ((?:packages|apps|node_modules)\/\S+)$/gm)].map(([, path]) => path!)
  const imported = [...code.matchAll(/^import[^'"(]*['"]\.\/([^'"]+)['"]/gm)].map(([, file]) => file!)
  return [...modules, ...imported.flatMap((file) => modulesOf(file, seen))]
}

const own = (modules: readonly string[]) => modules.filter((path) => /^(packages|apps)\//.test(path))
const lab = (modules: readonly string[]) => modules.filter((path) => path.startsWith('packages/lab/'))

describe('the bundle', () => {
  it('loads no command for the list of commands', () => {
    expect(own(modulesOf('main.js')).toSorted()).toEqual([
      'apps/cli/dist/main.js',
      'apps/cli/dist/output.js',
      'apps/cli/dist/program.js',
      'packages/numeric/dist/errors.js',
    ])
  })

  it('the thread that writes loads settling and the store, and one file of the lab', () => {
    const modules = modulesOf('writer-thread.js')
    expect(own(modules).length).toBeGreaterThan(30)
    expect(own(modules).length).toBeLessThanOrEqual(65)
    expect(lab(modules)).toEqual(['packages/lab/dist/statistics/confidence-sequence.js'])
  })

  it.each(['learner-thread.js', 'check-thread.js', 'reading-thread.js', 'model-thread.js', 'evaluation-process.js'])(
    '%s loads no environment and no simulation of the lab, and no server',
    (name) => {
      const modules = modulesOf(name)
      expect(own(modules).length).toBeGreaterThan(0)
      expect(modules.filter((path) => /^packages\/lab\/dist\/(environments|simulation|runs)\//.test(path))).toEqual([])
      expect(modules.filter((path) => /node_modules\/fastify\//.test(path))).toEqual([])
    },
  )
})
