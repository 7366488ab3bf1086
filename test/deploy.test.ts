// The kit for running Primo elsewhere holds together; npm run deploy-check runs it, as far as a machine can.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { program } from '../apps/cli/src/program.js'
import { readConfig, settingNames, variableOf } from '../apps/service/src/index.js'
import { execForm, readDockerfile } from '../deploy/checks/dockerfile.mjs'
import { stepsOf } from '../deploy/checks/steps.mjs'

const root = join(import.meta.dirname, '..')
const deploy = join(root, 'deploy')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? files(path) : [path]
  })
}

it('the image: stages, a fixed base, not root, no shell before the process, health by Node itself', () => {
  const { stages } = readDockerfile(join(deploy, 'Dockerfile'))
  expect(stages.map(({ name }) => name)).toEqual(['build', '1'])
  for (const { base } of stages) expect(base).toMatch(/^node:\d+[\w.-]+-slim$/)
  const all = stages.flatMap(({ instructions }) => instructions)
  expect(all.map(({ name }) => name)).not.toContain('ADD')
  const last = (name: string) => stages[1]!.instructions.filter((one) => one.name === name)
  const [user] = last('USER')
  expect(Number(user!.text.split(':')[0])).toBeGreaterThan(0)
  expect(execForm(last('ENTRYPOINT')[0]!.text)![0]).toBe('node')
  expect(execForm(last('CMD')[0]!.text)).toEqual(['serve'])
  expect(last('HEALTHCHECK')[0]!.text).toMatch(/^CMD \["node", /)
  // Nothing of the build but what is named.
  for (const { flags } of last('COPY')) expect(flags.from).toBe('build')
})

it('variables of the kit are settings', () => {
  const known = new Set([...settingNames.flatMap((name) => [variableOf(name), `${variableOf(name)}_FILE`])])
  // How compose and scripts are told things, and the key of a caller.
  for (const name of ['PRIMO_CONFIG', 'PRIMO_KEY', 'PRIMO_IMAGE', 'PRIMO_PROXY_PORT', 'PRIMO_MODEL_TOKEN'])
    known.add(name)
  const used = [...files(deploy), join(root, 'docs/deploy.md')].flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bPRIMO_[A-Z_]+\b/g)].map(([name]) => `${relative(root, path)}: ${name}`),
  )
  expect(used.filter((line) => !known.has(line.split(': ')[1]!))).toEqual([])
})

it('files that compose mounts are there', () => {
  const mounted = [...read('deploy/compose.yaml').matchAll(/\.\/([\w./-]+):\/[\w./-]+(?::ro)?/g)].map(
    ([, path]) => path!,
  )
  expect(mounted.length).toBeGreaterThan(3)
  expect(mounted.filter((path) => !existsSync(join(deploy, path)))).toEqual([])
})

it('settings of the service unit are settings', () => {
  expect(readConfig({ config: join(deploy, 'systemd/primo.json') })).toMatchObject({ port: 8642 })
})

it('the chart has the version of the packages, and its schema knows the values', () => {
  const { version } = JSON.parse(read('apps/cli/package.json')) as { version: string }
  expect(read('deploy/helm/primo/Chart.yaml')).toContain(`\nversion: ${version}\nappVersion: ${version}\n`)
  const values = [...read('deploy/helm/primo/values.yaml').matchAll(/^(\w+):/gm)].map(([, name]) => name)
  const { properties } = JSON.parse(read('deploy/helm/primo/values.schema.json')) as { properties: object }
  expect(Object.keys(properties).filter((name) => name !== 'global')).toEqual(values)
})

it('docs/deploy.md names commands and flags that exist, and says what a step needs', async () => {
  const steps = stepsOf(join(root, 'docs/deploy.md'))
  expect(steps.length).toBeGreaterThan(10)
  const wrong: string[] = []
  for (const [line] of steps
    .map(({ text }) => text)
    .join('')
    .matchAll(/^.*\bprimo(?:\.js)? [a-z]+ .*$/gm)) {
    const [, name, rest] = /.*\bprimo(?:\.js)? ([a-z]+)(.*)$/.exec(line!)!
    if (/\b(helm|docker run -d|kubectl|systemctl)\b/.test(line!)) continue
    // One at a time: all of them would load the studies.
    const command = (await program(name)).commands.find((one) => one.name() === name)
    const inner = command?.commands.flatMap(({ options }) => options) ?? []
    const flags = [...(command?.options ?? []), ...inner].map(({ long }) => long)
    for (const [flag] of rest!.matchAll(/--[a-z-]+/g)) if (!flags.includes(flag)) wrong.push(line!)
    if (command === undefined) wrong.push(line!)
  }
  expect(wrong).toEqual([])
})
