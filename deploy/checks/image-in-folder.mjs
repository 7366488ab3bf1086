// The Dockerfile's steps in plain folders, one per stage: where no container engine runs, its commands are known to work.
// Absolute paths are below the stage's folder. Not checked: the base image, and that the root is read-only beyond rights of files.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execForm, readDockerfile } from './dockerfile.mjs'

/** `context`: what is sent to the build. Returns how the image runs, as options of spawn. */
export function buildInFolder(file, context, target, say = () => undefined) {
  const { stages } = readDockerfile(file)
  const image = { env: {}, user: null, entrypoint: [], command: [], health: [], stop: 'SIGTERM', folder: '/' }
  for (const { name: stage, instructions } of stages) {
    const root = join(target, stage)
    mkdirSync(root)
    image.folder = '/'
    const inside = (path) => join(root, path.startsWith('/') ? path : join(image.folder, path))
    for (const { name, text, flags } of instructions) {
      const known = STEPS[name]
      if (known === undefined) throw new Error(`the check does not know ${name}`)
      say(`${stage}: ${name} ${text}`)
      known({ text, flags, image, root, inside, context, target })
    }
    image.root = root
  }
  return image
}

const STEPS = {
  WORKDIR: ({ text, image, inside }) => {
    image.folder = text
    mkdirSync(inside(text), { recursive: true })
  },
  ENV: ({ text, image, root }) => {
    for (const [, key, value] of text.matchAll(/(\w+)=(\S+)/g)) image.env[key] = below(root, value)
  },
  COPY: ({ text, flags, inside, context, target }) => {
    const words = text.split(/\s+/)
    const to = words.pop()
    for (const word of words) {
      const from = flags.from === undefined ? join(context, word) : join(target, flags.from, word)
      if (!existsSync(from)) throw new Error(`COPY must have something to copy, and ${word} is not there`)
      const into = to.endsWith('/') ? join(to, word === '.' ? '' : basename(word)) : to
      cpSync(from, inside(into), { recursive: true, verbatimSymlinks: true, force: true })
    }
  },
  RUN: ({ text, root, inside }) => {
    execFileSync('/bin/sh', ['-ec', below(root, text)], { cwd: inside('.'), stdio: ['ignore', 'ignore', 'inherit'] })
  },
  USER: ({ text, image }) => {
    image.user = text.split(':').map(Number)
  },
  ENTRYPOINT: ({ text, image, root }) => {
    image.entrypoint = execForm(text).map((word) => below(root, word))
  },
  CMD: ({ text, image }) => {
    image.command = execForm(text)
  },
  HEALTHCHECK: ({ text, image, root }) => {
    image.health = execForm(text.replace(/^.*?CMD\s+/, '')).map((word) => below(root, word))
  },
  STOPSIGNAL: ({ text, image }) => {
    image.stop = text
  },
  VOLUME: ({ text, inside }) => {
    if (!existsSync(inside(text))) throw new Error(`VOLUME ${text} must be made before, with its owner`)
  },
  EXPOSE: () => undefined,
}

/** Folders of the image, in a command or a value. */
function below(root, text) {
  return text.replaceAll(/(^|[\s:=])\/(src|app|data)\b/g, (_, before, folder) => `${before}${root}/${folder}`)
}

/** What a .dockerignore names, at its simplest: whole names, at the top or (with a leading star-star) anywhere. */
export function ignored(file) {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const tests = lines.map((line) => {
    const anywhere = line.startsWith('**/')
    const text = line.replace('**/', '').replaceAll('.', '\\.').replaceAll('*', '[^/]*')
    return new RegExp(`${anywhere ? '(^|/)' : '^'}${text}(/|$)`)
  })
  return (path) => tests.some((test) => test.test(path))
}
