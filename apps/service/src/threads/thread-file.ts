// The file that a thread runs: its bundle, which loads faster, or the compiled file where that is newer.

import { statSync } from 'node:fs'

const dist = new URL('../', import.meta.url)

/** `compiled`: the thread's own file in `dist`. */
export function threadFile(compiled: URL, folder: URL = dist): URL {
  // The bundle of the command has its own.
  if (compiled.pathname.includes('/bundle/')) return compiled
  const bundle = new URL(`bundle/${compiled.pathname.split('/').at(-1)}`, folder)
  const time = (file: URL) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return time(bundle) > time(new URL('../tsconfig.tsbuildinfo', folder)) ? bundle : compiled
}
