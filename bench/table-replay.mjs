// `primo replay` of a Parquet table with 10,000,000 rows and 12 columns: rounds per second and the most memory that was held (limit
// 3 GB). PRIMO_TABLE_ROWS sets another number of rows, PRIMO_TABLE_POLICIES other policies.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Random } from '@primo/numeric'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'

const ROWS = Number(process.env.PRIMO_TABLE_ROWS ?? 10_000_000)
const POLICIES = process.env.PRIMO_TABLE_POLICIES ?? 'primo-cal'
const LIMIT = 3000
const GROUP = 131_072
const ACTIONS = 3
const NAMES = ['x1', 'x2', 'x3', 'x4', 'z', 'prediction', 'r0', 'r1', 'r2', 'mu0', 'mu1', 'mu2']

function writeTable(file) {
  const schema = [
    { name: 'root', num_children: NAMES.length },
    ...NAMES.map((name) => ({ name, type: 'DOUBLE', repetition_type: name === 'z' ? 'OPTIONAL' : 'REQUIRED' })),
  ]
  const writer = new ParquetWriter({ writer: fileWriter(file), schema, codec: 'UNCOMPRESSED' })
  const random = Random.fromSeed(1)
  for (let first = 0; first < ROWS; first += GROUP) {
    const count = Math.min(GROUP, ROWS - first)
    const columns = NAMES.map(() => new Array(count))
    for (let row = 0; row < count; row++) {
      for (let k = 0; k < 4; k++) columns[k][row] = 2 * random.uniform() - 1
      const [x1, x2, x3] = [columns[0][row], columns[1][row], columns[2][row]]
      const mean = 0.4 * x1 - 0.3 * x2
      const z = mean + 0.3 * (2 * random.uniform() - 1)
      columns[4][row] = random.uniform() < 1 / (1 + Math.exp(x3 - x1)) ? z : null
      columns[5][row] = 0.6 * mean + 0.2
      const noise = 0.2 * (2 * random.uniform() - 1)
      for (let a = 0; a < ACTIONS; a++) {
        const value = 0.5 + 0.1 * (a - 1) * (2 * z + x2)
        columns[9 + a][row] = value
        columns[6 + a][row] = value + noise
      }
    }
    writer.write({ columnData: NAMES.map((name, k) => ({ name, data: columns[k] })), rowGroupSize: count })
  }
  writer.finish()
}

/** Runs the command in a process of its own and says what it held at most, in megabytes. */
async function replay(file, folder) {
  const report = join(folder, 'memory')
  const hook = `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(report)}, String(process.resourceUsage().maxRSS)))`
  const child = spawn(
    process.execPath,
    [
      ...[
        '--import',
        `data:text/javascript,import{createRequire}from'node:module';const require=createRequire('/');${hook}`,
      ],
      ...[fileURLToPath(new URL('../apps/cli/bin/primo.js', import.meta.url)), 'replay', file, '--json'],
      ...['--context', 'x1,x2,x3,x4', '--covariate', 'z', '--prediction', 'prediction', '--rewards', 'r0,r1,r2'],
      ...['--means', 'mu0,mu1,mu2', '--policies', POLICIES],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  let out = ''
  child.stdout.on('data', (data) => {
    out += data
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`primo replay ended with ${code}`)
  const results = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return { results, memory: Number(readFileSync(report, 'utf8')) / 1024 }
}

export async function benchTable() {
  const folder = mkdtempSync(join(tmpdir(), 'primo-table-'))
  try {
    const file = join(folder, 'table.parquet')
    writeTable(file)
    const size = (statSync(file).size / 1e6).toFixed(0)
    console.log(`Replay of ${ROWS.toLocaleString('en')} rows x ${NAMES.length} columns from Parquet (${size} MB)`)
    const start = performance.now()
    const { results, memory } = await replay(file, folder)
    const seconds = (performance.now() - start) / 1000
    for (const { policy, roundsPerSecond, regret } of results) {
      const rate = roundsPerSecond.toLocaleString('en')
      console.log(`  ${policy.padEnd(12)} ${rate.padStart(12)} rounds per second   regret ${regret.toFixed(0)}`)
    }
    console.log(`  ${seconds.toFixed(0)} s with reading; ${memory.toFixed(0)} MB at most (limit: ${LIMIT} MB)`)
    if (memory > LIMIT) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
