// A Dockerfile as its instructions, stage by stage: as much of the language as ours uses.

import { readFileSync } from 'node:fs'

/** Stages with a name, a base and instructions {name, text, flags}; `args` are those before the first stage. */
export function readDockerfile(path) {
  const lines = readFileSync(path, 'utf8')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const args = {}
  const stages = []
  for (const line of lines) {
    const [, name, rest] = /^(\S+)\s+(.*)$/.exec(line)
    if (name === 'ARG' && stages.length === 0) {
      const [key, value] = rest.split('=')
      args[key] = value
      continue
    }
    if (name === 'FROM') {
      const [, base, , as] = /^(\S+)( AS (\S+))?$/i.exec(rest)
      stages.push({ name: as ?? String(stages.length), base: filled(base, args), instructions: [] })
      continue
    }
    const flags = [...rest.matchAll(/^(?:--(\S+?)=(\S+)\s+)+/g)].flatMap(([text]) =>
      [...text.matchAll(/--(\S+?)=(\S+)/g)].map(([, key, value]) => [key, value]),
    )
    const text = rest.replace(/^(?:--\S+=\S+\s+)+/, '')
    stages.at(-1).instructions.push({ name, text, flags: Object.fromEntries(flags) })
  }
  return { args, stages }
}

/** The words of an instruction in the exec form; null: it is for a shell. */
export function execForm(text) {
  return text.startsWith('[') ? JSON.parse(text) : null
}

function filled(text, args) {
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name) => args[name] ?? '')
}
