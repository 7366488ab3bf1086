// The core in a Web Worker: settings and seeds in, cells out.

import { runCells } from './run-cells.js'
import type { Settings } from './world-settings.js'

addEventListener('message', ({ data }: MessageEvent<{ settings: Settings; seeds: readonly number[] }>) => {
  try {
    runCells(data.settings, data.seeds, (cell) => postMessage({ cell }))
    postMessage({ done: true })
  } catch (error) {
    postMessage({ failure: error instanceof Error ? error.message : String(error) })
  }
})
