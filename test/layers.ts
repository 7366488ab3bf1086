// The layers of ARCHITECTURE and the imports that go against them. The list there is the rule:
//   <member>  <members it may import, or ->  <its folders, bottom to top>
// `lab/log` among the imports allows that entry point of lab and no other one.
// A file of a folder may import values from its own folder and from folders before it; types from anywhere in its package. Files that
// lie in src itself and are named in the list count as folders; the other ones (entry points) stand above all folders.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import ts from 'typescript'

export interface Layers {
  readonly member: string
  readonly imports: readonly string[]
  readonly folders: readonly string[]
}

/** The table between ```layers and ``` of a Markdown text. */
export function readLayers(markdown: string): readonly Layers[] {
  const table = /```layers\n([\s\S]*?)```/.exec(markdown)?.[1] ?? ''
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [member = '', imports = '', folders = ''] = line.split('|').map((cell) => cell.trim())
      const words = (cell: string) => (cell === '-' ? [] : cell.split(/\s+/).filter((word) => word !== ''))
      return { member, imports: words(imports), folders: words(folders) }
    })
}

/** TypeScript files below a folder, build output aside. */
export function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    if (name === 'node_modules' || name === 'dist') return []
    const path = join(folder, name)
    return statSync(path).isDirectory() ? sources(path) : /\.tsx?$/.test(name) ? [path] : []
  })
}

export const isTest = (file: string) => /\.(test|laws|fixture|suite)\.tsx?$/.test(file)

export interface Import {
  readonly path: string
  readonly typeOnly: boolean
}

export function importsOf(file: string): readonly Import[] {
  const text = readFileSync(file, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const found: Import[] = []
  const named = (elements: ts.NodeArray<ts.ImportSpecifier | ts.ExportSpecifier>) =>
    elements.length > 0 && elements.every(({ isTypeOnly }) => isTypeOnly)
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier)) {
      const clause = statement.importClause
      const bindings = clause?.namedBindings
      const types = bindings !== undefined && ts.isNamedImports(bindings) && !clause?.name && named(bindings.elements)
      found.push({ path: statement.moduleSpecifier.text, typeOnly: clause?.isTypeOnly === true || types })
    }
    if (
      ts.isExportDeclaration(statement) &&
      statement.moduleSpecifier &&
      ts.isStringLiteral(statement.moduleSpecifier)
    ) {
      const clause = statement.exportClause
      const types = clause !== undefined && ts.isNamedExports(clause) && named(clause.elements)
      found.push({ path: statement.moduleSpecifier.text, typeOnly: statement.isTypeOnly || types })
    }
  }
  for (const [, path] of text.matchAll(/\bimport\('([^']+)'\)/g)) found.push({ path: path!, typeOnly: false })
  return found
}

/** The layer of a file: its place in the list, or above all of them for an entry point; -1: its folder is not in the list. */
function layerOf(file: string, src: string, folders: readonly string[]): number {
  const parts = relative(src, file)
    .replace(/\.[jt]sx?$/, '')
    .split(sep)
  if (parts.length === 1 && existsSync(join(src, parts[0]!))) return folders.length
  for (let depth = parts.length; depth > 0; depth--) {
    const place = folders.indexOf(parts.slice(0, depth).join('/'))
    if (place >= 0) return place
  }
  return parts.length === 1 ? folders.length : -1
}

/** Sentences, one for each import of a member's sources that goes against its layers. */
export function wrongImports(folder: string, { member, imports, folders }: Layers): readonly string[] {
  const src = join(folder, 'src')
  return sources(src)
    .filter((file) => !isTest(file))
    .flatMap((file) => {
      const own = layerOf(file, src, folders)
      const name = relative(folder, file)
      if (own < 0) return [`${name} lies in a folder that the layers of ${member} do not list`]
      return importsOf(file).flatMap(({ path, typeOnly }) => {
        const [entry, other] = /^@primo\/([a-z]+)(?:\/[a-z-]+)?/.exec(path) ?? []
        if (
          other !== undefined &&
          other !== member &&
          !imports.some((one) => one === other || `@primo/${one}` === entry)
        )
          return [`${name} imports ${path}, which ${member} may not`]
        if (!path.startsWith('.') || !path.endsWith('.js')) return []
        const target = resolve(dirname(file), path)
        if (!target.startsWith(src + sep)) return [`${name} imports ${path}, which lies outside of its package`]
        const layer = layerOf(target, src, folders)
        return layer > own && !typeOnly ? [`${name} imports ${path}, a layer above its own`] : []
      })
    })
}
