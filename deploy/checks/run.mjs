// Checks the kit for running Primo elsewhere, as far as this machine can: npm run deploy-check [-- --get-tools]. What could not be
// run is listed, and is no failure.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkImage } from './check-image.mjs'
import { follow } from './follow.mjs'
import { getTools, has, useTools } from './tools.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const missing = []

useTools(root)
if (process.argv.includes('--get-tools')) getTools(root)
const folder = mkdtempSync(join(tmpdir(), 'primo-deploy-'))
// The image's user goes in, too.
chmodSync(folder, 0o755)
try {
  tool('hadolint', ['--ignore', 'DL3059', 'deploy/Dockerfile'])
  tool('caddy', ['validate', '--adapter', 'caddyfile', '--config', 'deploy/compose/Caddyfile'])
  checkNginx()
  await part('the image, in plain folders', (target, say) => checkImage(root, target, say))
  await part('docs/deploy.md, step by step', async (target, say) => {
    const left = await follow(root, target, say)
    for (const { heading, needs } of left) missing.push(`${heading}: needs ${needs}`)
    return 'followed'
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`\nnot run here:\n${missing.map((line) => `  ${line}`).join('\n')}`)

async function part(name, check) {
  const target = join(folder, name.replaceAll(/\W+/g, '-'))
  mkdirSync(target)
  console.log(`\n${name}`)
  const said = await check(target, (line) => console.log(`  ${line}`))
  console.log(`  ${said}`)
}

function tool(name, args) {
  if (!has(name)) {
    missing.push(`${name} ${args.at(-1)}: needs ${name}`)
    return
  }
  execFileSync(name, args, { cwd: root, stdio: ['ignore', 'inherit', 'pipe'] })
  console.log(`${name} ${args.at(-1)}: fine`)
}

/** With a certificate of its own, since nginx reads it. */
function checkNginx() {
  if (!has('nginx') || !has('openssl')) {
    missing.push('nginx deploy/nginx/primo.conf: needs nginx and openssl')
    return
  }
  const names = { fullchain: join(folder, 'fullchain.pem'), privkey: join(folder, 'privkey.pem') }
  const subject = ['-subj', '/CN=primo.example', '-days', '1']
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-keyout', names.privkey, '-out', names.fullchain],
    { stdio: 'ignore' },
  )
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const conf = `error_log stderr; pid ${folder}/nginx.pid; events {} http { access_log off; ${temporary.join(' ')} include ${folder}/primo.conf; }`
  const text = readFileSync(join(root, 'deploy/nginx/primo.conf'), 'utf8').replaceAll('/etc/ssl/primo/', `${folder}/`)
  writeFileSync(join(folder, 'primo.conf'), text)
  writeFileSync(join(folder, 'nginx.conf'), conf)
  execFileSync('nginx', ['-t', '-q', '-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' })
  console.log('nginx deploy/nginx/primo.conf: fine')
}
