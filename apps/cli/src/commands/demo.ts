// primo demo: service, page, simulated clients and shadow baselines on built-in scenarios.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Comparison } from '@primo/contract'
import { Command } from 'commander'
import { picture, verdict, wrapped } from '../demo/picture.js'
import { runDemo } from '../demo/run-demo.js'
import { print, printJson, UsageError, wholeNumber } from '../output.js'
import { pageFolder } from '../page-folder.js'

interface Flags {
  readonly data: string
  readonly fresh?: true
  readonly host: string
  readonly port: number
  readonly seed: number
  readonly pace: number
  readonly rounds?: number
  readonly json?: true
}

const EVERY = 5000

export function demoCommand(): Command {
  return new Command('demo')
    .option('--data <folder>', 'where to keep the store; a second start continues from it', 'primo-data/demo')
    .option('--fresh', 'start over')
    .option('--host <address>', 'where to listen (loopback only)', '127.0.0.1')
    .option(
      '--port <number>',
      'if it is busy, the next free one is used; 0: any free one',
      wholeNumber('--port', 0),
      8642,
    )
    .option('--seed <number>', 'seed of the stream; used when the store is created', wholeNumber('--seed', 0), 1)
    .option('--pace <number>', 'decisions per second of each problem, to begin with', wholeNumber('--pace', 1), 400)
    .option(
      '--rounds <number>',
      'stop after this many decisions of each problem and print a verdict, which needs about 5000',
      wholeNumber('--rounds', 1),
    )
    .option('--json', 'print the comparison as one JSON object at the end')
    .addHelpText(
      'after',
      `
The service decides two problems, dosing and pricing, over HTTP. Rewards arrive late, some true values later still.
Shadow baselines run on the same rounds with the same delays: the same learner with the model uncorrected, with zeros, and with all
values seen, and choosing at random.

Example:
  primo demo
  primo demo --fresh --rounds 5000 --port 0
`,
    )
    .action(async (flags: Flags) => {
      const { data, fresh = false, host, port, seed, pace, rounds, json = false } = flags
      if (!/^(127\.|localhost$|::1$)/.test(host))
        throw new UsageError(`--host must be a loopback address, because the demo has no keys, got "${host}"`)
      if (fresh && existsSync(data) && !existsSync(join(data, 'demo.json')))
        throw new UsageError(`--data must be the folder of an earlier demo when --fresh is given, got "${data}"`)
      const stop = new AbortController()
      let stoppedAt = 0
      const onSignal = () => {
        // A second Ctrl-C means now; npm sends the first one twice.
        if (stop.signal.aborted && performance.now() - stoppedAt > 1000) process.exit(130)
        if (!stop.signal.aborted) stoppedAt = performance.now()
        stop.abort()
      }
      process.on('SIGINT', onSignal)
      process.on('SIGTERM', onSignal)
      const show = json ? () => undefined : process.stdout.isTTY ? redrawing() : onceInAWhile()
      const last = await runDemo({
        data,
        fresh,
        host,
        port,
        seed,
        pace,
        ...(rounds === undefined ? {} : { rounds }),
        signal: stop.signal,
        onReady: ({ url, continued }) => {
          if (json) {
            process.stderr.write(`${url}\n`)
            return
          }
          const page = existsSync(join(pageFolder(), 'index.html')) ? url : `${url} (page not built: npm run build)`
          print(`Primo decides at ${page}`)
          print(
            continued > 0
              ? `Continues after ${continued.toLocaleString('en')} decisions in ${data}.`
              : `Store: ${data}`,
          )
          print(rounds === undefined ? 'Ctrl-C stops it; the next start continues from there.\n' : '')
        },
        onComparisons: show,
      })
      if (json) printJson({ problems: last })
      else {
        for (const comparison of last) print(`${process.stdout.isTTY ? '' : `\n${picture(comparison)}\n`}`)
        for (const comparison of last) for (const line of wrapped(verdict(comparison))) print(line)
      }
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    })
}

/** In a terminal: the first problem's picture in place, the others' sentences below. */
function redrawing(): (comparisons: readonly Comparison[]) => void {
  let height = 0
  return (comparisons) => {
    const [first, ...others] = comparisons
    if (first === undefined) return
    const text = [
      picture(first),
      ...others.flatMap(({ problem, sentence }) => ['', `${problem}:`, ...wrapped(sentence)]),
    ]
    const lines = text.join('\n').split('\n')
    const up = height === 0 ? '' : `\x1b[${height}A`
    process.stdout.write(`${up}${lines.map((line) => `\x1b[2K${line}\n`).join('')}\x1b[0J`)
    height = lines.length
  }
}

function onceInAWhile(): (comparisons: readonly Comparison[]) => void {
  let next = 0
  return (comparisons) => {
    if (comparisons.length === 0 || performance.now() < next) return
    next = performance.now() + EVERY
    for (const comparison of comparisons) for (const line of wrapped(verdict(comparison))) print(line)
  }
}
