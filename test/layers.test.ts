// Packages and folders are layers, listed in ARCHITECTURE: value imports point one way.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importsOf, isTest, type Layers, readLayers, sources, wrongImports } from './layers.js'

const root = join(import.meta.dirname, '..')
const layers = readLayers(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))
const members = ['packages', 'apps'].flatMap((top) =>
  readdirSync(join(root, top)).map((name) => ({ name, folder: join(root, top, name) })),
)

describe('layers', () => {
  it('ARCHITECTURE lists every package and app, each importing only what stands above it in the list', () => {
    expect(layers.map(({ member }) => member).sort()).toEqual(members.map(({ name }) => name).sort())
    layers.forEach(({ member, imports }, index) => {
      const before = layers.slice(0, index).map((one) => one.member)
      expect(
        imports.filter((name) => !before.includes(name.replace(/\/.*$/, ''))),
        member,
      ).toEqual([])
    })
  })

  it.each(members)('$name imports along its layers', ({ name, folder }) => {
    expect(wrongImports(folder, layers.find(({ member }) => member === name)!)).toEqual([])
  })

  it('an import against the layers is found, and so are the other ways to break them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'layers-'))
    const write = (path: string, text: string) => {
      mkdirSync(join(folder, 'src', path, '..'), { recursive: true })
      writeFileSync(join(folder, 'src', path), text)
    }
    const planted: Layers = { member: 'planted', imports: ['numeric', 'lab/log'], folders: ['low', 'high'] }
    try {
      write('low/a.ts', "import type { B } from '../high/b.js'\nexport const a = (b: B) => b\n")
      write('high/b.ts', "import { a } from '../low/a.js'\nexport type B = number\nexport const b = a(1)\n")
      write('index.ts', "export { b } from './high/b.js'\n")
      expect(wrongImports(folder, planted)).toEqual([])
      write('low/up.ts', "import { b } from '../high/b.js'\nexport const up = b\n")
      write('low/lazy.ts', "export const lazy = () => import('../high/b.js')\n")
      write('high/foreign.ts', "import { createLearner } from '@primo/core'\nexport { createLearner }\n")
      write('high/narrow.ts', "import { openLog } from '@primo/lab/log'\nexport { openLog }\n")
      write('high/wide.ts', "import { simulate } from '@primo/lab'\nexport { simulate }\n")
      write('other/c.ts', 'export const c = 1\n')
      expect([...wrongImports(folder, planted)].sort()).toEqual([
        'src/high/foreign.ts imports @primo/core, which planted may not',
        'src/high/wide.ts imports @primo/lab, which planted may not',
        'src/low/lazy.ts imports ../high/b.js, a layer above its own',
        'src/low/up.ts imports ../high/b.js, a layer above its own',
        'src/other/c.ts lies in a folder that the layers of planted do not list',
      ])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('threads', () => {
  it('the thread that writes the store loads neither the engine nor the lab', () => {
    const loaded = new Set<string>()
    const follow = (file: string) => {
      for (const { path } of importsOf(file).filter(({ typeOnly }) => !typeOnly)) {
        const target = path.startsWith('.') ? resolve(dirname(file), path).replace(/\.js$/, '.ts') : path
        if (loaded.has(target)) continue
        loaded.add(target)
        if (path.startsWith('.')) follow(target)
      }
    }
    follow(join(root, 'apps/service/src/store/sqlite/writer-thread.ts'))
    const packages = [...loaded].filter((path) => path.startsWith('@primo/'))
    expect(packages.sort()).toEqual(['@primo/contract', '@primo/core/ledger', '@primo/lab/evidence', '@primo/numeric'])
  })
})

describe('purity', () => {
  it.each(['numeric', 'theory', 'core'])('%s has no clock, no Math.random and nothing of Node', (name) => {
    const wrong = sources(join(root, 'packages', name, 'src'))
      .filter((file) => !isTest(file))
      .flatMap((file) => {
        const text = readFileSync(file, 'utf8').replace(/\/\/.*$/gm, '')
        const found = text.match(/Math\.random|Date\.now|new Date\b|performance\.now|process\.|require\(/g) ?? []
        const foreign = importsOf(file).filter(({ path }) => !path.startsWith('.') && !path.startsWith('@primo/'))
        return [...found, ...foreign.map(({ path }) => path)].map((what) => `${relative(root, file)}: ${what}`)
      })
    expect(wrong).toEqual([])
  })

  it('no folder or file is called utils, common, helpers or types', () => {
    const named = members
      .flatMap(({ folder }) => sources(folder))
      .filter((file) => /[\\/](utils|common|helpers|types)([\\/]|\.tsx?$)/.test(file))
    expect(named).toEqual([])
  })
})
