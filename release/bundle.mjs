// Bundles the compiled command with its threads, the threads of the service, and the client: a process or thread then loads a few files and only the code that it
// uses. Each bundle lies in `dist/bundle` of its package.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const command = join(root, 'apps/cli')
const service = join(root, 'apps/service')
const client = join(root, 'packages/client')
const bundleOf = (folder) => join(folder, 'dist/bundle')

/** Native code, packages that read files from their own folders, and peers that users may leave out. */
const EXTERNAL = [
  /^node:/,
  /^(libsql|onnxruntime-web|pg-native|typescript|@duckdb\/node-api|@resvg\/resvg-js)(\/|$)/,
  /^@fastify\/(static|swagger-ui)$/,
]

const FILE_URL = /new URL\(\s*['"]([^'"]+)['"],\s*import\.meta\.url\s*\)/g

/** A module that is named by URL becomes an entry point of the bundle; any other file stays where it is. */
const filesByUrl = (folder) => ({
  name: 'files-by-url',
  transform(code, id) {
    if (!code.includes('import.meta.url') || id.includes('node_modules')) return null
    return code.replace(FILE_URL, (_, path) => {
      const file = resolve(dirname(id), path)
      if (file.endsWith('.js') && !file.includes('/bin/')) {
        this.emitFile({ type: 'chunk', id: file, fileName: basename(file) })
        return `new URL('./${basename(file)}', import.meta.url)`
      }
      // Manifests are read for the version, which is the same for all packages.
      const place = basename(file) === 'package.json' ? join(folder, 'package.json') : file
      return `new URL('${relative(bundleOf(folder), place)}${path.endsWith('/') ? '/' : ''}', import.meta.url)`
    })
  },
})

/** The licence of every package whose code is in the bundle. */
function licences(output) {
  const inside = output
    .flatMap(({ moduleIds = [] }) => moduleIds)
    .map((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0])
  const folders = [...new Set(inside.filter((folder) => folder !== undefined))].sort()
  return folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
    return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
}

/** Writes the bundle of a package and returns its files. */
async function bundle(folder, names, options) {
  const target = bundleOf(folder)
  rmSync(target, { recursive: true, force: true })
  const input = Object.fromEntries(names.map((name) => [basename(name), join(folder, 'dist', `${name}.js`)]))
  const made = await rolldown({ cwd: root, input, ...options })
  const { output } = await made.write({ dir: target, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
  await made.close()
  return output
}

await bundle(client, ['index', 'local', 'spool'], { platform: 'neutral', external: /^node:/ })
const node = (folder) => ({
  platform: 'node',
  external: EXTERNAL,
  // Not the bundle of the client, which has copies of other packages.
  resolve: { alias: { '@primo/client': join(client, 'dist/index.js') } },
  plugins: [filesByUrl(folder)],
})
const threads = [
  'store/sqlite/writer-thread',
  'learning/learner-thread',
  'learning/check-thread',
  'reports/reading-thread',
  'reports/evaluation-process',
  'imputers/model-thread',
]
for (const [folder, names] of [
  [service, threads],
  [command, ['main']],
]) {
  const output = await bundle(folder, names, node(folder))
  writeFileSync(join(bundleOf(folder), 'LICENCES.txt'), licences(output).join('\n---\n\n'))
}
