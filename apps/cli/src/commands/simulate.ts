// primo simulate: scenarios x policies x repeats -> rows, table, plots, report.

import { existsSync, writeFileSync } from 'node:fs'
import {
  checkPolicyName,
  checkPolicySpec,
  imputationNames,
  parseScenario,
  policyNames,
  scenarioDials,
  scenarioFromName,
  scenarioNames,
} from '@primo/lab'
import {
  type Cell,
  cellsOfShard,
  checkRunSpec,
  environmentFor,
  environmentsIn,
  type FinishedCell,
  isCodeFile,
  loadCode,
  openRunFolder,
  parseShard,
  policiesIn,
  progressBar,
  type RunSpec,
  runCells,
  summariseRun,
  summaryText,
  writeRunReport,
  writeWorld,
} from '@primo/lab/node'
import { Command } from 'commander'
import { commandLine } from '../command-line.js'
import { readJson } from '../json-file.js'
import { names, print, printJson, UsageError, wholeNumber } from '../output.js'
import { type JobQueue, openJobQueue } from '../queue/job-queue.js'
import { type SubmitCellsOptions, submitCells } from '../queue/submit-cells.js'
import { tellIdle } from '../queue/submit-jobs.js'

interface SimulateFlags {
  readonly scenario: string[]
  readonly policies: string[]
  readonly rounds: number
  readonly repeats: number
  readonly seed: number
  readonly workers?: number
  readonly out?: string
  readonly shard?: string
  readonly queue?: string
  readonly lease: number
  readonly fresh?: boolean
  readonly json?: boolean
  readonly writeTable?: string
}

const HELP = `
Scenarios:
${list(meanings(scenarioNames))}
  A name takes dials: "A?mnarStrength=2&bias=0.3&delay=50"; a .json file holds a scenario or a list of them;
  a .ts or .js file exports environments of your own (docs/extending.md).

Dials:
${list(meanings(scenarioDials))}

Policies:
${list(policyNames)}
  rule:imputation combines any rule with any imputation (linucb:calibrated); a .json file holds whole policies, such as
  {"name": "mine", "kind": "engine", "sees": "world", "options": {"profile": "robust", "gamma": 50}}; a .ts or .js file exports
  policies of your own, or exploration rules and function classes that robust is to use.

Imputations:
${list(imputationNames)}

Examples:
  primo simulate --scenario A --policies uniform,primo,primo-cal,sees-all-values --rounds 16384 --repeats 8 --out out/first
  primo simulate --scenario dosing,pricing --policies primo,primo-cal --json
  primo simulate --scenario ./my-world.ts --policies robust,./my-policy.ts --out out/own
  primo simulate --scenario A --rounds 131072 --repeats 20 --shard 1/2 --out out/half-1   (then primo merge)
  primo simulate --scenario A --repeats 100 --queue postgres://host/database --out out/many   (and primo worker on each machine)
`

export function simulateCommand(): Command {
  return new Command('simulate')
    .option('--scenario <names>', 'scenarios, separated by commas', names, ['A'])
    .option('--policies <names>', 'policies, separated by commas', names, [
      'uniform',
      'primo',
      'primo-cal',
      'robust',
      'sees-all-values',
    ])
    .option('--rounds <n>', 'rounds of each run', wholeNumber('--rounds', 1), 2 ** 14)
    .option('--repeats <n>', 'seeds per scenario and policy', wholeNumber('--repeats', 1), 5)
    .option('--seed <n>', 'seed of the first repeat', wholeNumber('--seed', 0), 1)
    .option('--workers <n>', 'worker threads (default: the number of cores)', wholeNumber('--workers', 1))
    .option('--out <folder>', 'keep rows, tables, plots and report here; an interrupted run resumes')
    .option('--shard <i/n>', 'only the i-th of n parts; needs --out')
    .option(
      '--queue <address>',
      'let primo worker do the work, on any machine that reaches the database postgres://...',
    )
    .option(
      '--lease <seconds>',
      'with --queue: how long a worker may be silent before others take over its cells',
      wholeNumber('--lease', 1),
      20,
    )
    .option('--fresh', 'start over in --out')
    .option(
      '--write-table <file>',
      'write the first repeat of one scenario as a CSV or Parquet table for primo replay, and stop',
    )
    .option('--json', 'rows as JSON lines on stdout, nothing else')
    .addHelpText('after', HELP)
    .action(run)
}

function meanings(
  entries: readonly { readonly name: string; readonly description: string }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(entries.map(({ name, description }) => [name, description]))
}

function list(entries: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(entries).map((name) => name.length))
  return Object.entries(entries)
    .map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`)
    .join('\n')
}

async function run(flags: SimulateFlags, command: Command): Promise<void> {
  const spec: RunSpec = {
    scenarios: (await Promise.all(flags.scenario.map(scenariosOf))).flat(),
    policies: (await Promise.all(flags.policies.map(policiesOf))).flat(),
    rounds: flags.rounds,
    repeats: flags.repeats,
    seed: flags.seed,
  }
  checkRunSpec(spec)
  if (flags.writeTable !== undefined) return writeTable(spec, flags.writeTable)
  const shard = flags.shard === undefined ? null : parseShard(flags.shard)
  if (shard !== null && flags.out === undefined) throw new UsageError('--shard needs --out')
  if (flags.queue !== undefined && flags.workers !== undefined)
    throw new UsageError('--workers cannot be combined with --queue: give it to primo worker')
  const cells = cellsOfShard(spec, shard)
  const folder =
    flags.out === undefined
      ? null
      : openRunFolder(flags.out, { format: 1, spec, shard }, { fresh: flags.fresh === true })
  const queue = flags.queue === undefined ? null : await openJobQueue(flags.queue)
  const done = cells.flatMap(({ index }) => {
    const row = folder?.finished.get(index)
    return row === undefined ? [] : [{ cell: index, row }]
  })
  const left = cells.filter(({ index }) => folder?.finished.has(index) !== true)
  if (done.length > 0) process.stderr.write(`${done.length} of ${cells.length} cells were already finished\n`)
  const progress = progressBar('simulating', left.length * spec.rounds)
  const interrupted = () => {
    progress.done()
    const kept =
      folder === null
        ? 'nothing is kept without --out'
        : `${done.length} of ${cells.length} cells are kept; the same command resumes from there`
    if (queue !== null)
      process.stderr.write('\nworkers carry on with what is on the queue; the same command collects it')
    process.stderr.write(`\ninterrupted: ${kept}\n`)
    process.exit(130)
  }
  process.once('SIGINT', interrupted)
  const start = performance.now()
  const onRow = (finished: FinishedCell) => {
    folder?.append(finished)
    done.push(finished)
  }
  if (queue === null) {
    await runCells(spec, left, {
      ...(flags.workers === undefined ? {} : { workers: flags.workers }),
      onRow,
      onProgress: progress.advance,
    })
  } else {
    await runOnQueue(queue, spec, cells, {
      finished: (cell) => folder?.finished.has(cell) === true,
      lease: flags.lease,
      fresh: flags.fresh === true,
      onRow: (finished) => {
        onRow(finished)
        progress.advance(spec.rounds)
      },
    })
  }
  process.off('SIGINT', interrupted)
  progress.done()
  const seconds = (performance.now() - start) / 1000
  done.sort((a, b) => a.cell - b.cell)
  folder?.complete(done)
  const rows = done.map(({ row }) => row)
  if (flags.json === true) for (const row of rows) printJson(row)
  else print(summaryText(summariseRun(rows)))
  if (folder !== null && shard === null) {
    const files = await writeRunReport({ rows, spec, outDir: folder.path, command: commandLine(command) })
    process.stderr.write(`wrote ${files.length} files to ${folder.path}; open ${folder.path}/report.html\n`)
  } else if (folder !== null) {
    process.stderr.write(
      `part ${shard!.index} of ${shard!.of} is in ${folder.path}; join the parts with: primo merge FOLDER... --out FOLDER\n`,
    )
  }
  if (left.length > 0) {
    process.stderr.write(
      `${Math.round((left.length * spec.rounds) / seconds).toLocaleString('en')} rounds per second\n`,
    )
  }
}

async function runOnQueue(
  queue: JobQueue,
  spec: RunSpec,
  cells: readonly Cell[],
  options: SubmitCellsOptions,
): Promise<void> {
  try {
    await submitCells(queue, spec, cells, { ...options, onIdle: tellIdle() })
  } finally {
    await queue.close()
  }
}

async function writeTable(spec: RunSpec, file: string): Promise<void> {
  if (spec.scenarios.length !== 1)
    throw new UsageError(`--write-table needs exactly one scenario, got ${spec.scenarios.length}`)
  const [scenario] = spec.scenarios
  if ('delay' in scenario! && scenario.delay !== undefined) {
    throw new UsageError('--write-table needs a scenario without delay: a table has no column for it')
  }
  const environment = environmentFor(scenario!, await loadCode(spec))
  const written = await writeWorld(environment, { file, seed: spec.seed, rounds: spec.rounds })
  process.stderr.write(`wrote ${spec.rounds.toLocaleString('en')} rounds to ${file}; replay them with:\n`)
  const specFile = `${file}.spec.json`
  writeFileSync(specFile, `${JSON.stringify(written.spec, null, 2)}\n`)
  const ball = environment.delta0 === undefined ? '' : ` --delta0 ${environment.delta0}`
  print(`primo replay ${file} --spec ${specFile} --seed ${spec.seed}${ball}`)
}

async function scenariosOf(text: string): Promise<RunSpec['scenarios']> {
  if (isCodeFile(text)) return environmentsIn(existing('--scenario', text))
  if (!text.endsWith('.json')) return [scenarioFromName(text)]
  const value = readJson<unknown>('--scenario', existing('--scenario', text))
  return (Array.isArray(value) ? value : [value]).map((one) => parseScenario(one))
}

async function policiesOf(text: string): Promise<RunSpec['policies']> {
  if (isCodeFile(text)) return policiesIn(existing('--policies', text))
  if (!text.endsWith('.json')) {
    checkPolicyName(text)
    return [text]
  }
  const value = readJson<unknown>('--policies', existing('--policies', text))
  return (Array.isArray(value) ? value : [value]).map((one) => (typeof one === 'string' ? one : checkPolicySpec(one)))
}

function existing(flag: string, file: string): string {
  if (!existsSync(file)) throw new UsageError(`${flag} must name a file that exists, got "${file}"`)
  return file
}
