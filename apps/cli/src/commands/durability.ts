// primo durability: kill the service at random moments, under load, and count what was lost.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { runDurability } from '../durability/run.js'
import { print, printJson, wholeNumber } from '../output.js'

/** Cycles between two lines where no terminal shows one line that moves. */
const LINE_EVERY = 50

interface Flags {
  cycles: number
  store?: string
  json?: boolean
}

export function durabilityCommand(): Command {
  return new Command('durability')
    .option('--cycles <number>', 'how often to start and kill it', wholeNumber('--cycles', 1), 200)
    .option('--store <address>', 'a new store on the disk to be tested (default: a temporary folder)')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample:\n  primo durability --cycles 20 --store sqlite:data/durability.db\n')
    .action(async ({ cycles, store, json }: Flags) => {
      const folder = store === undefined ? mkdtempSync(join(tmpdir(), 'primo-durability-')) : null
      try {
        const result = await runDurability({
          cycles,
          store: store ?? `sqlite:${join(folder!, 'primo.db')}`,
          onCycle: (cycle, { decisions, rewards }) => {
            const line = `${cycle}/${cycles} killed; ${decisions} decisions, ${rewards} rewards acknowledged`
            if (process.stderr.isTTY) process.stderr.write(`\r${line}`)
            else if (cycle % LINE_EVERY === 0) process.stderr.write(`${line}\n`)
          },
        })
        if (process.stderr.isTTY) process.stderr.write('\n')
        const { lost, doubled, contradictions, different, damaged } = result
        const wrong = [...lost, ...doubled, ...contradictions, ...different, ...damaged]
        if (json === true) printJson(result)
        else {
          print(`killed       ${result.cycles} times`)
          print(`acknowledged ${result.acknowledged.decisions} decisions, ${result.acknowledged.rewards} rewards`)
          print(`stored       ${result.stored.decisions} decisions, ${result.stored.rewards} rewards`)
          print(`lost         ${result.lost.length}`)
          print(`doubled      ${result.doubled.length}`)
          print(`contradicted ${result.contradictions.length}`)
          print(`policies     ${result.policies} learnt, ${result.different.length} differ from a replay of the log`)
          print(`damaged      ${result.damaged.length}`)
          for (const line of wrong.slice(0, 20)) print(`  ${line}`)
        }
        process.exitCode = wrong.length === 0 ? 0 : 1
      } finally {
        if (folder !== null) rmSync(folder, { recursive: true, force: true })
      }
    })
}
