// All packages carry one version and the same promises, and depend on each other by exactly that version.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly engines: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, '..')
const read = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path, 'package.json'), 'utf8')) as Manifest
const manifests = ['packages', 'apps'].flatMap((top) => readdirSync(join(root, top)).map((name) => read(top, name)))
const [{ version }] = manifests as [Manifest]

it.each(manifests)('$name has the version and the engines of all', ({ version: own, engines }) => {
  expect(own).toBe(version)
  expect(engines).toEqual(read().engines)
})

it.each([read(), ...manifests])('$name depends on exact versions', ({ dependencies, devDependencies }) => {
  const all = Object.entries({ ...dependencies, ...devDependencies })
  const wrong = all.filter(([name, wanted]) =>
    name.startsWith('@primo/') ? wanted !== version : !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(wanted),
  )
  expect(wrong).toEqual([])
})

it('the changelog has a dated section of this version', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  expect(changelog).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm'))
})
