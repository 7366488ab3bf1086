// After a build: each file also compressed, so that the service need not do it per request.

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/** Bytes below which it is not worth it. */
const SMALLEST = 1400

/** @returns {import('vite').Plugin} */
export function compressFiles() {
  return {
    name: 'compress-files',
    apply: 'build',
    async writeBundle({ dir }) {
      for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(js|css|html|svg|json)$/.test(entry.name)) continue
        const path = join(entry.parentPath, entry.name)
        const bytes = await readFile(path)
        if (bytes.length < SMALLEST) continue
        await writeFile(`${path}.br`, brotliCompressSync(bytes))
        await writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 }))
      }
    },
  }
}
