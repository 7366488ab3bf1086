// The demo as a user runs it.

import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Comparison } from '@primo/contract'
import { describe, expect, it } from 'vitest'
import { primo, temporaryFolder } from '../primo.fixture.js'

interface Printed {
  readonly problems: readonly Comparison[]
}

describe('primo demo', { timeout: 240_000 }, () => {
  const data = join(temporaryFolder(), 'demo')

  it('ends after --rounds with a verdict; a busy port means the next one', async () => {
    const busy = createServer()
    const port = await new Promise<number>((resolve) => {
      busy.listen(0, '127.0.0.1', () => resolve((busy.address() as { port: number }).port))
    })
    const { code, stdout, stderr } = await primo('demo', '--data', data, '--rounds', '250', '--port', String(port))
    await new Promise((resolve) => busy.close(resolve))
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const address = Number(/127\.0\.0\.1:(\d+)/.exec(stdout)?.[1])
    expect(address).toBeGreaterThan(port)
    // Sentences are broken into lines wherever they are long.
    const said = stdout.replaceAll(/\s+/g, ' ')
    expect(said).toMatch(/dosing: With \d\d% of risk alleles unknown/)
    expect(said).toMatch(/pricing: With \d\d% of/)
    expect(said).toMatch(/go on for a few thousand decisions|would be enough|Settled since/)
  })

  it('goes on from the store, on the same stream as the shadow baselines', async () => {
    // Without its file the regret of the earlier run comes from the log; the other problem still has its file.
    rmSync(join(data, 'dosing.regret'))
    const { code, stdout } = await primo('demo', '--data', data, '--rounds', '150', '--port', '0', '--json')
    expect(code).toBe(0)
    const { problems } = JSON.parse(stdout) as Printed
    expect(problems.map(({ problem }) => problem)).toEqual(['dosing', 'pricing'])
    const ratios: number[] = []
    for (const { rounds, curves, floor, perThousand } of problems) {
      expect(rounds).toBe(400)
      expect(curves.map(({ policy }) => policy).sort()).toEqual([
        'robust',
        'sees-all-values',
        'uncorrected',
        'uniform',
        'zero-fill',
      ])
      const last = (name: string) => curves.find(({ policy }) => policy === name)!.points.at(-1)!.value
      const cost = (1000 * (last('uncorrected') - last('sees-all-values'))) / rounds
      expect(Math.abs(perThousand.cost.mean - cost)).toBeLessThan(1e-3 * Math.abs(cost) + 0.5)
      expect(perThousand.cost.low).toBeLessThanOrEqual(perThousand.cost.mean)
      expect(perThousand.cost.high).toBeGreaterThanOrEqual(perThousand.cost.mean)
      ratios.push(last('robust') / last('uniform'))
      expect(perThousand.unavoidable).toBeCloseTo((1000 * floor.at(-1)!.value) / rounds, 1)
    }
    // Clients wait for fits, so that the live service has learnt by now, however slow the machine is. Decision ids, and with them the
    // draws, differ between runs: over 13 runs the ratio of pricing was .67 on average with a standard deviation of .10.
    expect((ratios[0]! + ratios[1]!) / 2).toBeLessThan(1)
  })

  it('starts over with --fresh', async () => {
    const { code, stdout } = await primo('demo', '--data', data, '--rounds', '60', '--port', '0', '--json', '--fresh')
    expect(code).toBe(0)
    expect((JSON.parse(stdout) as Printed).problems[0]!.rounds).toBe(60)
  })

  it('ends cleanly on Ctrl-C', async () => {
    const child = spawn(process.execPath, [
      join(import.meta.dirname, '../../bin/primo.js'),
      ...['demo', '--data', data, '--port', '0'],
    ])
    let text = ''
    let told = false
    const code = await new Promise((resolve) => {
      const hear = (bytes: Buffer) => {
        text += bytes.toString()
        // Twice at once, as a terminal and npm do together.
        if (!text.includes('Ctrl-C stops it') || told) return
        told = true
        child.kill('SIGINT')
        child.kill('SIGINT')
      }
      child.stdout.on('data', hear)
      child.stderr.on('data', hear)
      child.once('exit', resolve)
    })
    expect(text).not.toMatch(/error|abort/i)
    expect(code).toBe(0)
  })

  it('refuses what cannot be', async () => {
    const open = await primo('demo', '--host', '0.0.0.0')
    expect(open.code).toBe(2)
    expect(open.stderr).toContain('--host must be a loopback address')
    const foreign = await primo('demo', '--fresh', '--data', temporaryFolder())
    expect(foreign.code).toBe(2)
    expect(foreign.stderr).toContain('--data must be the folder of an earlier demo')
  })
})
