// Where the built page lies.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function pageFolder(): string {
  return join(dirname(fileURLToPath(import.meta.resolve('@primo/dashboard/package.json'))), 'dist')
}
