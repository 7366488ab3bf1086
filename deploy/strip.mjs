// Takes away what a built and pruned checkout does not need to run. Only for images: it deletes sources.

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const KEPT = new Set(['bin', 'dist', 'package.json', 'LICENSE', 'node_modules'])
const UNUSED = /\.(map|d\.ts|d\.mts|d\.cts|tsbuildinfo)$/

for (const top of ['packages', 'apps'])
  for (const member of readdirSync(top))
    for (const name of readdirSync(join(top, member)))
      if (!KEPT.has(name)) rmSync(join(top, member, name), { recursive: true })

/** Links to packages are left alone: what they lead to is stripped where it lies. */
function strip(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) strip(path)
    else if (entry.isFile() && UNUSED.test(entry.name)) rmSync(path)
  }
}
for (const folder of ['packages', 'apps', 'node_modules']) strip(folder)

// Builds for browsers and graphics cards; Node uses one.
const onnx = 'node_modules/onnxruntime-web/dist'
const USED = new Set(['ort.node.min.mjs', 'ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm'])
for (const name of readdirSync(onnx)) if (!USED.has(name)) rmSync(join(onnx, name), { recursive: true })
