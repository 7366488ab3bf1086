// Every report says how it was made: the command that it prints gives the same report again. And it says first what it found.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { primo, shell, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()
const table = join(folder, "a clinic's visits.csv")
const lines = Array.from({ length: 300 }, (_, k) => {
  const x = ((k * 7) % 100) / 100
  const z = ((k * 13) % 100) / 100
  return [x, k % 4 === 0 ? 'NA' : z, (z + x) / 2, x > 0.5 ? 1 : 0, z > 0.5 ? 1 : 0].join(',')
})
writeFileSync(table, `x,z,g,r0,r1\n${lines.join('\n')}\n`)
const columns = ['--context', 'x', '--covariate', 'z', '--prediction', 'g']

const log = join(folder, 'log.csv')
const rounds = Array.from(
  { length: 400 },
  (_, k) => `${k % 2 === 0 ? 'a' : 'b'},0.5,${k % 4 < 2 ? k % 2 : 1},${k % 10}`,
)
writeFileSync(log, `action,p,reward,x\n${rounds.join('\n')}\n`)
const map = join(folder, 'map.json')
writeFileSync(
  map,
  JSON.stringify({
    action: 'action',
    propensity: 'p',
    reward: 'reward',
    actions: ['a', 'b'],
    context: ['x'],
    rewardRange: [0, 1],
  }),
)

function printedCommand(out: string): string {
  const page = readFileSync(join(out, 'report.html'), 'utf8')
  const [, command] = /<pre[^>]*>(?:<code>)?(primo [^<]*)</.exec(page) ?? []
  return command!.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&').trim()
}

describe('the command that a report prints', () => {
  it.each<[string, readonly string[], string, string]>([
    [
      'replay',
      [table, ...columns, '--rewards', 'r0,r1', '--policies', 'uniform,primo,primo-cal'],
      '--out',
      'summary.json',
    ],
    ['calibrate', [table, ...columns, '--analysis', '--repetitions', '1'], '--report', 'result.json'],
    ['evaluate', [log, '--spec', map, '--policy', 'fixed:a', '--replicates', '20'], '--out', 'result.json'],
    ['simulate', ['--rounds', '200', '--repeats', '1', '--policies', 'uniform,primo'], '--out', 'summary.json'],
  ])('gives the report of %s again', async (name, args, flag, kept) => {
    const out = join(folder, name)
    const first = await primo(name, ...args, flag, out)
    expect(first.stderr).not.toContain('primo:')
    const before = readFileSync(join(out, kept), 'utf8')
    const page = readFileSync(join(out, 'report.html'), 'utf8')
    const command = printedCommand(out)
    rmSync(out, { recursive: true })
    const again = await shell(command)
    expect(again).toMatchObject({ code: 0, stdout: first.stdout })
    expect(readFileSync(join(out, kept), 'utf8')).toBe(before)
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toBe(page)
  })
})

describe('what is said first', () => {
  it('is which policy is better, by how much and how sure', async () => {
    const evaluated = await primo('evaluate', log, '--spec', map, '--policy', 'fixed:b', '--replicates', '0')
    expect(evaluated.stdout).toMatch(
      /^fixed:b is better than what was played: 0\.\d+ more per decision \(95% interval 0\.\d+ to 0\.\d+ by dr\)\.\n/,
    )
    const replayed = await primo('replay', table, ...columns, '--rewards', 'r0,r1', '--policies', 'primo,primo-cal')
    expect(replayed.stdout).toMatch(/^primo/)
    expect(replayed.stdout.split('\n')[0]).toContain('one seed')
  })

  it('stands above a curve of rewards where no true means are known', async () => {
    const out = join(folder, 'rewards')
    await primo('replay', table, ...columns, '--rewards', 'r0,r1', '--policies', 'primo,uniform', '--out', out)
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('Reward per round on')
  })
})

describe('what can be refused', () => {
  it.each([
    [['replay', '/no/table.csv', ...columns, '--rewards', 'r0', '--policies', 'nobody'], 'got "nobody"'],
    [['simulate', '--policies', 'nobody', '--out', join(folder, 'never')], 'got "nobody"'],
    [['evaluate', log, '--spec', map, '--policy', 'nobody'], 'got "nobody"'],
    [
      ['evaluate', log, '--spec', map, '--policy', 'uniform', '--against', 'nobody'],
      '--against must be one of logged, uniform',
    ],
    [['evaluate', log, '--spec', map, '--policy', 'uniform', '--out', log], '--out must be a folder'],
    [['calibrate', table, ...columns, '--report', log], '--report must be a folder'],
  ])('is refused before the work: %j', async (args, reason) => {
    const { code, stdout, stderr } = await primo(...args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(reason)
  })
})
