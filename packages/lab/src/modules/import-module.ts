// Loads a file of the user's, JavaScript or TypeScript, as a module of this thread.

import { register } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isTypeScript } from './typescript-loader.js'

let registered = false

/** What the file exports. */
export async function importModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  if (isTypeScript(path) && !registered) {
    register(new URL('./typescript-loader.js', import.meta.url))
    registered = true
  }
  return (await import(pathToFileURL(resolve(path)).href)) as Readonly<Record<string, unknown>>
}
