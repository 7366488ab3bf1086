// How TypeScript files are read: types are taken out as files are loaded, their own imports included. Node does it where it can (22.13
// and later); before that the package `typescript` does, that beside the file or that beside Primo. Types are not checked.

import { readFile } from 'node:fs/promises'
import * as nodeModule from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

export function isTypeScript(file: string): boolean {
  return /\.m?ts$/.test(file)
}

type Strip = (source: string) => string

let strip: Promise<Strip> | null = null

async function stripper(url: string): Promise<Strip> {
  const own = (nodeModule as { stripTypeScriptTypes?: (source: string, options: { mode: string }) => string })
    .stripTypeScriptTypes
  if (own !== undefined) return (source) => own(source, { mode: 'transform' })
  try {
    const { default: typescript } = await compilerNear(url)
    const { ESNext } = typescript.ModuleKind
    const compilerOptions = { module: ESNext, target: typescript.ScriptTarget.ES2022 }
    return (source) => typescript.transpileModule(source, { compilerOptions }).outputText
  } catch {
    throw new Error(
      `a TypeScript module needs Node 22.13 or later, or the package "typescript" installed beside it; this is Node ${process.versions.node}`,
    )
  }
}

async function compilerNear(url: string): Promise<{ default: typeof import('typescript') }> {
  let found: string
  try {
    found = nodeModule.createRequire(url).resolve('typescript')
  } catch {
    return import('typescript')
  }
  return import(pathToFileURL(found).href) as Promise<{ default: typeof import('typescript') }>
}

/** A loader hook of Node, see `register` of node:module. */
export async function load(
  url: string,
  context: object,
  next: (url: string, context: object) => Promise<{ format: string; source?: unknown }>,
): Promise<object> {
  if (!url.startsWith('file:') || !isTypeScript(new URL(url).pathname)) return next(url, context)
  strip ??= stripper(url)
  const source = (await strip)(await readFile(fileURLToPath(url), 'utf8'))
  return { format: 'module', source, shortCircuit: true }
}
