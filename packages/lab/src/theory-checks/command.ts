// The study command: runs the checks, prints each figure beside SPEC's, a verdict per line and one at the end.

import { parseArgs } from 'node:util'
import { textTable } from '../report/text-table.js'
import { checks } from './all-checks.js'
import type { Check, CheckLine } from './check.js'
import type { CommandResult, Console } from './console.js'

const HELP = `Numeric checks of the theory: measured figures beside the figures SPEC quotes, with a verdict per line.

Usage: node packages/lab/dist/commands/theory-checks.js [options]

  --only a,b      run only these: ${Object.keys(checks).join(', ')}
  --seed N        seed of all draws, default 1
  --quick         fewer repetitions and smaller tables
  --json          one object on stdout
  --help          this text

Example: node packages/lab/dist/commands/theory-checks.js --only radius,coverage --seed 7

Exit codes: 0 every line holds, 1 a line fails, 2 bad usage.`

export function theoryChecksCommand(args: readonly string[], console: Console): CommandResult {
  const options = parse(args)
  if (typeof options === 'string') {
    console.error(options)
    return { exitCode: 2 }
  }
  if (options.help) {
    console.out(HELP)
    return { exitCode: 0 }
  }
  const { seed, quick, json, only } = options
  const results: (Check & { readonly seconds: number })[] = []
  for (const id of only) {
    const start = performance.now()
    const check = checks[id]!({ seed, quick })
    const seconds = (performance.now() - start) / 1000
    results.push({ ...check, seconds })
    if (!json) console.out(render(check, seconds))
  }
  const lines = results.flatMap((check) => check.lines)
  const failed = lines.filter((line) => !line.holds)
  if (json) console.out(JSON.stringify({ seed, quick, holds: failed.length === 0, checks: results }))
  else {
    console.out(
      `${lines.length - failed.length} of ${lines.length} lines hold (seed ${seed}${quick ? ', quick' : ''}).`,
    )
    for (const line of failed) console.out(`FAILS: ${line.what}: ${figure(line)}, ${line.accept}`)
  }
  return { exitCode: failed.length === 0 ? 0 : 1 }
}

interface Options {
  readonly seed: number
  readonly quick: boolean
  readonly json: boolean
  readonly help: boolean
  readonly only: readonly string[]
}

function parse(args: readonly string[]): Options | string {
  let values: { only?: string; seed?: string; quick?: boolean; json?: boolean; help?: boolean }
  try {
    ;({ values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        seed: { type: 'string' },
        quick: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    }))
  } catch (error) {
    return (error as Error).message
  }
  const seed = Number(values.seed ?? '1')
  if (!Number.isSafeInteger(seed) || seed < 0) return `--seed must be a whole number >= 0, got "${values.seed}"`
  const only = values.only === undefined ? Object.keys(checks) : values.only.split(',')
  const unknown = only.find((id) => !(id in checks))
  if (unknown !== undefined) return `--only must name ${Object.keys(checks).join(', ')}, got "${unknown}"`
  const { quick = false, json = false, help = false } = values
  return { seed, quick, json, help, only }
}

function render(check: Check, seconds: number): string {
  const rows = check.lines.map((line) => [
    line.what,
    figure(line),
    line.quoted,
    line.accept,
    line.holds ? 'ok' : 'FAILS',
  ])
  const table = textTable(['figure', 'measured', 'SPEC', 'accepted', 'verdict'], rows)
  return `${check.title}\n  ${check.note} (seed ${check.seed}, ${seconds.toFixed(1)} s)\n\n${table}\n`
}

function figure({ measured, standardError }: CheckLine): string {
  const size = Math.abs(measured)
  const text =
    size !== 0 && (size < 1e-4 || size >= 1e6) ? measured.toExponential(2) : String(Number(measured.toPrecision(4)))
  return standardError === null || standardError === 0 ? text : `${text} ± ${standardError.toPrecision(2)}`
}
