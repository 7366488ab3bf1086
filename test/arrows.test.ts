// The import arrows of the design, read from the sources: core <- lab, core + contract + lab <- service,
// contract <- client and dashboard; the command alone imports apps. Inside core nothing of Node and no other package.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** What each package or app may import of the others, besides its own files. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contract: [],
  lab: ['core'],
  client: ['contract'],
  service: ['core', 'contract', 'lab'],
  dashboard: ['contract', 'core', 'lab'],
  cli: ['core', 'contract', 'lab', 'client', 'service', 'dashboard'],
}

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (name === 'node_modules' || name === 'dist') return []
    if (statSync(path).isDirectory()) return sources(path)
    return /\.tsx?$/.test(name) ? [path] : []
  })
}

function imports(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!)
}

const members = ['packages', 'apps'].flatMap((top) => {
  try {
    return readdirSync(join(root, top)).map((name) => ({ name, folder: join(root, top, name) }))
  } catch {
    return []
  }
})

describe('import arrows', () => {
  it.each(members)('$name imports only what the design allows', ({ name, folder }) => {
    const allowed = ALLOWED[name]
    expect(allowed, `${name} must be a package or app that the design names`).toBeDefined()
    const wrong = sources(folder).flatMap((file) =>
      imports(file).flatMap((path) => {
        const other = /^@primo\/([a-z]+)/.exec(path)?.[1]
        const target = join(file, '..', path)
        // What tests share lies here, beside this file.
        const shared = file.endsWith('.test.ts') && target.startsWith(import.meta.dirname)
        const leaves = path.startsWith('.') && !target.startsWith(folder) && !shared
        return leaves || (other !== undefined && other !== name && !allowed!.includes(other))
          ? [`${relative(root, file)} imports ${path}`]
          : []
      }),
    )
    expect(wrong).toEqual([])
  })

  it('core has no clock, no Math.random, no Node and at most its listed packages', () => {
    const folder = join(root, 'packages/core/src')
    const wrong = sources(folder)
      .filter((file) => !/\.(test|laws|fixture)\.ts$/.test(file))
      .flatMap((file) => {
        const text = readFileSync(file, 'utf8').replace(/\/\/.*$/gm, '')
        const found = [...text.matchAll(/Math\.random|Date\.now|new Date\b|performance\.now|process\.|require\(/g)].map(
          (match) => match[0],
        )
        const foreign = imports(file).filter((path) => !path.startsWith('.'))
        return [...found, ...foreign].map((what) => `${relative(root, file)}: ${what}`)
      })
    expect(wrong).toEqual([])
  })

  it('has no folder or file called utils, common, helpers or types', () => {
    const named = members
      .flatMap(({ folder }) => sources(folder))
      .filter((file) => /[\\/](utils|common|helpers|types)([\\/]|\.tsx?$)/.test(file))
    expect(named).toEqual([])
  })
})
