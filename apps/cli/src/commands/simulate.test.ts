import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { jsonLines, primo, startPrimo, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()
const rowsIn = (out: string) => readFileSync(join(folder, out, 'rows.jsonl'), 'utf8')
const run = [
  'simulate',
  '--scenario',
  'A,dosing?delay=20',
  '--policies',
  'uniform,primo,primo-cal',
  '--rounds',
  '1500',
  '--repeats',
  '2',
  '--seed',
  '3',
]

describe('primo simulate', () => {
  it('gives the same rows with one worker, with two, in two shards that are merged, and when it is started again', async () => {
    const out = (name: string) => join(folder, name)
    expect((await primo(...run, '--workers', '1', '--out', out('one'))).code).toBe(0)
    expect((await primo(...run, '--workers', '2', '--out', out('two'))).code).toBe(0)
    expect(rowsIn('two')).toBe(rowsIn('one'))
    for (const shard of ['1', '2']) {
      expect((await primo(...run, '--shard', `${shard}/2`, '--out', out(`shard-${shard}`))).code).toBe(0)
    }
    expect(rowsIn('shard-1').split('\n').length).toBeLessThan(rowsIn('one').split('\n').length)
    expect((await primo('merge', out('shard-1'), out('shard-2'), '--out', out('merged'))).code).toBe(0)
    expect(rowsIn('merged')).toBe(rowsIn('one'))
    expect(readFileSync(join(out('merged'), 'summary.json'), 'utf8')).toBe(
      readFileSync(join(out('one'), 'summary.json'), 'utf8'),
    )
    const again = await primo(...run, '--out', out('one'), '--json')
    expect(again.stderr).toContain('12 of 12 cells were already finished')
    expect(jsonLines(again.stdout)).toHaveLength(12)
    expect(rowsIn('one')).toBe(rowsIn('two'))
  })

  it('goes on after kill -9 without redoing finished cells, and ends with the same rows', async () => {
    const long = [
      'simulate',
      '--scenario',
      'A',
      '--policies',
      'primo,primo-cal,linucb',
      '--rounds',
      '20000',
      '--repeats',
      '4',
      '--workers',
      '2',
    ]
    const killed = join(folder, 'killed')
    const rows = join(killed, 'rows.jsonl')
    const child = startPrimo(...long, '--out', killed)
    for (let waited = 0; waited < 600 && !(existsSync(rows) && statSync(rows).size > 0); waited++) await setTimeout(50)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    const before = readFileSync(rows, 'utf8')
    expect(before.split('\n').length - 1).toBeLessThan(12)
    // A line that was being written when the process died.
    writeFileSync(rows, `${before}{"cell":99,"row":{"scen`)
    const finished = before.split('\n').filter((line) => line !== '').length
    const resumed = await primo(...long, '--out', killed)
    expect(resumed.code).toBe(0)
    expect(resumed.stderr).toContain(`${finished} of 12 cells were already finished`)
    expect((await primo(...long, '--out', join(folder, 'whole'))).code).toBe(0)
    expect(rowsIn('killed')).toBe(rowsIn('whole'))
  })

  it('prints only JSON lines on stdout with --json, and writes a report that stands alone with --out', async () => {
    const out = join(folder, 'report')
    const { code, stdout } = await primo(
      'simulate',
      '--scenario',
      'pricing',
      '--rounds',
      '400',
      '--repeats',
      '2',
      '--json',
      '--out',
      out,
    )
    expect(code).toBe(0)
    const rows = jsonLines(stdout)
    expect(rows).toHaveLength(10)
    for (const row of rows)
      expect(row).toMatchObject({
        scenario: 'pricing',
        rounds: 400,
        regret: expect.any(Number),
        floor: expect.any(Number),
      })
    const html = readFileSync(join(out, 'report.html'), 'utf8')
    expect(html).toContain('<svg')
    expect(html).not.toMatch(/(src|href)="https?:/)
    for (const file of ['table.md', 'summary.csv', 'summary.json']) expect(existsSync(join(out, file))).toBe(true)
  })

  it('takes scenarios and policies from JSON files', async () => {
    const scenarios = join(folder, 'scenarios.json')
    const policies = join(folder, 'policies.json')
    writeFileSync(scenarios, JSON.stringify([{ kind: 'bandit', name: 'three arms', actions: 3, gap: 0.2 }]))
    writeFileSync(
      policies,
      JSON.stringify({ name: 'mine', kind: 'engine', sees: 'world', options: { profile: 'primo', gamma: 50 } }),
    )
    const { code, stdout, stderr } = await primo(
      'simulate',
      '--scenario',
      scenarios,
      '--policies',
      `uniform,${policies}`,
      '--rounds',
      '300',
      '--repeats',
      '1',
      '--json',
    )
    expect(stderr).not.toContain('primo:')
    expect(code).toBe(0)
    expect(jsonLines(stdout).map(({ scenario, policy }) => [scenario, policy])).toEqual([
      ['three arms', 'uniform'],
      ['three arms', 'mine'],
    ])
  })

  it.each([
    [['--policies', 'thompson'], 'got "thompson"'],
    [['--scenario', 'Z'], '"Z"'],
    [['--scenario', 'A?biass=1'], 'biass'],
    [['--rounds', '0'], '--rounds must be a whole number >= 1, got "0"'],
    [['--rounds', 'many'], 'got "many"'],
    [['--shard', '3/2', '--out', 'x'], 'got "3/2"'],
    [['--shard', '1/2'], '--out'],
    [['--policies', 'primo,primo'], '"primo" twice'],
    [['--scenario', 'nowhere.json'], 'nowhere.json'],
    [['--frobnicate'], '--frobnicate'],
  ])('refuses %j with exit code 2 and a sentence that names the value', async (flags, words) => {
    const { code, stdout, stderr } = await primo('simulate', '--rounds', '10', '--repeats', '1', ...flags)
    expect(stderr).toContain(words)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })

  it('refuses to mix two runs in one folder, and starts over with --fresh', async () => {
    const out = join(folder, 'mixed')
    const small = ['simulate', '--policies', 'uniform', '--repeats', '1', '--out', out]
    expect((await primo(...small, '--rounds', '50')).code).toBe(0)
    const other = await primo(...small, '--rounds', '60')
    expect(other.code).toBe(2)
    expect(other.stderr).toMatch(/--out must be empty.*add --fresh/)
    expect((await primo(...small, '--rounds', '60', '--fresh')).code).toBe(0)
    expect(jsonLines(readFileSync(join(out, 'rows.jsonl'), 'utf8'))).toHaveLength(1)
  })
})

describe('what a user writes by hand', () => {
  it.each([
    [{ name: 'm', kind: 'engine', options: {}, sees: 'truht' }, '"truht"'],
    [{ name: 'm', kind: 'engine' }, 'options of policy "m"'],
    [{ name: 'm', profile: 'robust' }, 'kind of policy "m"'],
    [{ kind: 'uniform' }, 'name of a policy'],
    [{ name: 'm', kind: 'squarecb', options: {}, sees: 'world' }, 'scale of policy "m"'],
    [{ name: 'm', kind: 'engine', options: {}, colour: 'red' }, '"colour"'],
  ])('is checked: policy %j', async (policy, words) => {
    const file = join(folder, 'policy.json')
    writeFileSync(file, JSON.stringify(policy))
    const { code, stderr } = await primo('simulate', '--policies', file, '--rounds', '10', '--repeats', '1')
    expect(stderr).toContain(words)
    expect(code).toBe(2)
  })

  it('is not overwritten: --out must be empty or hold a run', async () => {
    const out = join(folder, 'mine')
    mkdirSync(out)
    writeFileSync(join(out, 'report.html'), 'precious')
    const { code, stderr } = await primo('simulate', '--rounds', '10', '--repeats', '1', '--out', out)
    expect(code).toBe(2)
    expect(stderr).toContain('report.html')
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toBe('precious')
    const file = await primo('simulate', '--rounds', '10', '--repeats', '1', '--out', join(out, 'report.html'))
    expect(file.code).toBe(2)
    expect(file.stderr).toContain('--out must not be a file')
  })

  it('may be read by head: a closed pipe is no failure', async () => {
    const bin = join(import.meta.dirname, '../../bin/primo.js')
    const shell = `"${process.execPath}" "${bin}" simulate --rounds 100 --repeats 300 --policies uniform --json | head -1; echo "\${PIPESTATUS[0]}"`
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', shell])
    expect(stdout.trim().split('\n').at(-1)).toBe('0')
    expect(stderr).not.toContain('EPIPE')
  })

  it('is told what is kept when it is interrupted, and goes on from there', async () => {
    const out = join(folder, 'interrupted')
    const args = [
      'simulate',
      '--policies',
      'primo,primo-cal',
      '--rounds',
      '20000',
      '--repeats',
      '6',
      '--workers',
      '1',
      '--out',
      out,
    ]
    const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/primo.js'), ...args])
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    for (let waited = 0; waited < 400 && !existsSync(join(out, 'rows.jsonl')); waited++) await setTimeout(50)
    child.kill('SIGINT')
    const code = await new Promise((resolve) => child.once('exit', resolve))
    expect(code).toBe(130)
    expect(stderr).toMatch(/interrupted: \d+ of 12 cells are kept/)
  })

  it('gets a refusal where a table could not hold it: delays', async () => {
    const { code, stderr } = await primo(
      'simulate',
      '--scenario',
      'A?delay=50',
      '--rounds',
      '20',
      '--write-table',
      join(folder, 'd.csv'),
    )
    expect(code).toBe(2)
    expect(stderr).toContain('delay')
  })
})
