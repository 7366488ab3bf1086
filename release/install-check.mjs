// Whether a stranger can use the packages: installs the tarballs of out/packages in an empty folder, type-checks and runs the program of
// every README there, and uses the installed command. Says how long each step took.

import { copyFileSync, cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  compile,
  folder,
  install,
  installedNames,
  nativeModules,
  primo,
  programOf,
  removeFolder,
  root,
  run,
  withService,
  write,
} from './empty-folder.mjs'

/** What it prints: whether the model's prediction was used, and which. */
const USE_ONNX = `import { onnxImputers } from './onnx.js'
const { linear } = await onnxImputers(process.argv[2]!)
console.log(linear.status, linear.source, linear.value)
`

const { version } = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8'))

function must(holds, sentence) {
  if (!holds) throw new Error(sentence)
}

async function step(title, work) {
  const start = performance.now()
  const said = await work()
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${seconds.padStart(6)} s  ${title}${said ? `: ${said}` : ''}`)
}

async function fetchPage(url) {
  const page = await (await fetch(url)).text()
  const assets = [...page.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)].map(([, path]) => path)
  const isScript = (path) => path.endsWith('.js')
  must(assets.some(isScript), `the page must load a script, got ${page}`)
  for (const path of assets) {
    const reply = await fetch(new URL(path, url))
    must(reply.ok && (await reply.arrayBuffer()).byteLength > 0, `${path} must be served, got ${reply.status}`)
  }
  return `${assets.length} assets`
}

try {
  await step('empty folder to first decision', () => {
    install('numeric', 'theory', 'core')
    write('first.js', programOf('core'))
    return run(process.execPath, 'first.js')
  })

  await step('@primo/lab installs nothing native', () => {
    install('numeric', 'theory', 'core', 'lab')
    must(nativeModules().length === 0, `@primo/lab must not install native modules, got ${nativeModules()}`)
  })

  await step('all packages install', () => install())

  const programs = installedNames().filter((name) => programOf(name) !== undefined)
  await step('programs compile', () => {
    for (const name of programs) write(`${name}.ts`, programOf(name))
    for (const file of ['onnx.ts', 'patients.ts'])
      copyFileSync(join(root, 'examples/imputers', file), join(folder, file))
    write('use-onnx.ts', USE_ONNX)
    compile(...programs.map((name) => `${name}.ts`), 'use-onnx.ts')
    return programs.join(', ')
  })

  for (const name of programs.filter((name) => name !== 'client'))
    await step(`@primo/${name}`, () => {
      const said = run(process.execPath, `${name}.js`)
      must(said !== '', `the program of @primo/${name} must say something`)
      return said.split('\n')[0]
    })

  cpSync(join(root, 'examples/models'), join(folder, 'models'), { recursive: true })
  await withService(async (url) => {
    await step('@primo/client with primo serve', () => {
      // Where this service listens, and with patience: a busy machine may miss a deadline of 100 ms.
      const program = readFileSync(join(folder, 'client.js'), 'utf8')
      write('client.js', program.replace('http://127.0.0.1:8642', url).replace('deadline: 100', 'deadline: 10_000'))
      const said = run(process.execPath, 'client.js')
      must(said.startsWith('service '), `the client must get a decision of the service, got ${said}`)
      return said
    })
    await step('an ONNX imputer', () => {
      const said = run(process.execPath, 'use-onnx.js', url)
      must(said.startsWith('imputed pretrained '), `the model must be used, got ${said}`)
      return said
    })
    await step('the page', () => fetchPage(url))
  })

  await step('npx @primo/cli', () => {
    const said = run('npx', '--no', '--', '@primo/cli', '--version')
    must(said === version, `npx @primo/cli must run this version, ${version}, got ${said}`)
    return said
  })
  await step('primo demo', () => run(primo, 'demo', '--rounds', '300', '--port', '0').split('\n').at(-1))
  await step('primo simulate with two workers', () => {
    const size = ['--rounds', '1024', '--repeats', '4', '--workers', '2']
    run(primo, 'simulate', '--scenario', 'A', '--policies', 'uniform,primo-cal', ...size, '--out', 'first')
    must(existsSync(join(folder, 'first/report.html')), 'primo simulate must write a report')
  })
  await step('primo study', () => run(primo, 'study', 'baselines', '--quick').split('\n').at(-1))
} finally {
  removeFolder()
}
