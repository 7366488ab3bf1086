// Every package as a tarball in out/packages, from what was built: `npm run pack`.

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const target = join(root, 'out/packages')
rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })

const folders = ['packages', 'apps'].flatMap((top) => readdirSync(join(root, top)).map((name) => join(root, top, name)))
for (const folder of folders) copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
execFileSync('npm', ['pack', '--silent', '--workspaces', '--pack-destination', target], { cwd: root, stdio: 'ignore' })
for (const file of readdirSync(target)) console.log(join('out/packages', file))
