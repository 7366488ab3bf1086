// What each package exports, by entry point, is what its public-names.txt lists; and one name means one thing in all packages.
// `npx vitest run test/public-names.test.ts -u` writes the lists anew. Every name has a doc comment, those that people meet first an example.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

interface Exported {
  readonly name: string
  /** The declaration itself, whatever it was re-exported through. */
  readonly symbol: ts.Symbol
  readonly isValue: boolean
  readonly isType: boolean
}

interface EntryPoint {
  /** As an import names it. */
  readonly path: string
  readonly file: string
}

interface Package {
  readonly name: string
  readonly folder: string
  readonly entryPoints: readonly EntryPoint[]
}

interface Manifest {
  readonly name: string
  /** A path alone is a file, not a module. */
  readonly exports?: Readonly<Record<string, string | { readonly source: string }>>
}

/** The names that people meet first. */
const WITH_EXAMPLE = [
  'Decision',
  'PrimoError',
  'Random',
  'boolean',
  'category',
  'createClient',
  'createEnvironment',
  'createLearner',
  'defineProblem',
  'evaluateLog',
  'number',
  'pretrained',
  'restoreLearner',
  'runPolicy',
  'scenarioFromName',
  'startService',
]

const packages: readonly Package[] = ['packages', 'apps']
  .flatMap((top) => readdirSync(join(root, top)).map((name) => join(root, top, name)))
  .filter((folder) => existsSync(join(folder, 'package.json')))
  .map((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    const entryPoints = Object.entries(exports).flatMap(([path, target]) =>
      typeof target === 'string' ? [] : [{ path: join(name, path), file: join(folder, target.source) }],
    )
    return { name, folder, entryPoints }
  })
  .filter(({ entryPoints }) => entryPoints.length > 0)

const program = ts.createProgram(
  packages.flatMap(({ entryPoints }) => entryPoints.map(({ file }) => file)),
  {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    customConditions: ['source'],
    types: [],
    noLib: true,
    noEmit: true,
  },
)
const checker = program.getTypeChecker()

function exportsOf(file: string): readonly Exported[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!
  return checker
    .getExportsOfModule(module)
    .map((exported) => {
      const symbol = isAlias(exported) ? checker.getAliasedSymbol(exported) : exported
      return {
        name: exported.name,
        symbol,
        isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0 && !exportedAsType(exported),
        isType: (symbol.flags & ts.SymbolFlags.Type) !== 0,
      }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isAlias(symbol: ts.Symbol): boolean {
  return (symbol.flags & ts.SymbolFlags.Alias) !== 0
}

function exportedAsType(exported: ts.Symbol): boolean {
  return (exported.declarations ?? []).some(
    (declaration) =>
      ts.isExportSpecifier(declaration) && (declaration.isTypeOnly || declaration.parent.parent.isTypeOnly),
  )
}

/** A class is a value; a constant and a type of one name are listed as both. */
function lines({ name, symbol, isValue, isType }: Exported): readonly string[] {
  const isClass = (symbol.flags & ts.SymbolFlags.Class) !== 0
  return [...(isValue ? [name] : []), ...(isType && !(isValue && isClass) ? [`type ${name}`] : [])]
}

describe('public names', () => {
  it.each(packages)('$name exports what its list says', async ({ folder, entryPoints }) => {
    const listed = entryPoints.map(({ path, file }) => {
      const names = exportsOf(file).flatMap(lines)
      expect(names.length, path).toBeGreaterThan(0)
      return [path, ...names.map((name) => `  ${name}`)].join('\n')
    })
    await expect(`${listed.join('\n\n')}\n`).toMatchFileSnapshot(join(folder, 'public-names.txt'))
  })

  describe('doc comments', () => {
    const exported = packages.flatMap(({ entryPoints }) => entryPoints.flatMap(({ file }) => exportsOf(file)))

    it('stand on every public name', () => {
      const without = exported.filter(({ symbol }) => symbol.getDocumentationComment(checker).length === 0)
      expect(without.map(({ name }) => name)).toEqual([])
    })

    it('have an example where people begin', () => {
      const examples = exported.filter(({ symbol }) =>
        symbol.getJsDocTags(checker).some((tag) => tag.name === 'example' && (tag.text ?? []).length > 0),
      )
      expect(examples.map(({ name }) => name)).toEqual(expect.arrayContaining(WITH_EXAMPLE))
    })
  })

  it('one name is one declaration, whichever package exports it', () => {
    const known = new Map<string, { readonly path: string; readonly symbol: ts.Symbol }>()
    const twice: string[] = []
    for (const { path, file } of packages.flatMap(({ entryPoints }) => entryPoints))
      for (const { name, symbol } of exportsOf(file)) {
        const before = known.get(name)
        if (before === undefined) known.set(name, { path, symbol })
        else if (before.symbol !== symbol) twice.push(`${name} of ${before.path} and of ${path}`)
      }
    expect(twice).toEqual([])
  })
})
