// `primo train` next to scikit-learn: held-out error on the same folds of three real tables (the folder that PRIMO_DATA names) and a drawn one,
// and the time and memory of boosted trees on 1,000,000 x 20, one thread each. PRIMO_PYTHON names a python that has scikit-learn.
// The real rows go to it through a pipe; nothing is written.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { memoryTable, trainModel } from '@primo/lab/node'
import { Random } from '@primo/numeric'

const DATA = process.env.PRIMO_DATA ?? fileURLToPath(new URL('../../shared/data', import.meta.url))
const PEER = fileURLToPath(new URL('training-peer.py', import.meta.url))
const FOLDS = 5

function peer(task) {
  for (const python of [process.env.PRIMO_PYTHON, 'python3', '/usr/bin/python3']) {
    if (python === undefined) continue
    const input = JSON.stringify(task)
    const { status, stdout } = spawnSync(python, [PEER], { input, encoding: 'utf8', maxBuffer: 1e9 })
    if (status === 0) return JSON.parse(stdout)
  }
  return null
}

/** Columns of texts; a column whose cells are all numbers becomes one of numbers. */
function columnsOf(header, rows, missing) {
  return Object.fromEntries(
    header.map((name, k) => {
      const cells = rows.map((row) => (missing.includes(row[k]?.trim() ?? '') ? null : row[k].trim()))
      const numbers = cells.every((cell) => cell === null || Number.isFinite(Number(cell)))
      return [name, numbers ? Float64Array.from(cells, (cell) => (cell === null ? Number.NaN : Number(cell))) : cells]
    }),
  )
}

function csv(text) {
  const rows = []
  let [row, cell, quoted] = [[], '', false]
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]
    if (quoted) {
      if (letter !== '"') cell += letter
      else if (text[i + 1] === '"') cell += text[++i]
      else quoted = false
    } else if (letter === '"') quoted = true
    else if (letter === ',') {
      row.push(cell)
      cell = ''
    } else if (letter === '\n') {
      rows.push([...row, cell.replace(/\r$/, '')])
      row = []
      cell = ''
    } else cell += letter
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return rows
}

const read = (name) => readFileSync(`${DATA}/${name}`, 'utf8').replace(/^\uFEFF/, '')

const ADULT =
  'age,workclass,fnlwgt,education,education-num,marital,occupation,relationship,race,sex,gain,loss,hours,country,income'
const WARFARIN = [
  'Gender',
  'Race',
  'Ethnicity',
  'Age',
  'Height (cm)',
  'Weight (kg)',
  'Diabetes',
  'Aspirin',
  'Amiodarone (Cordarone)',
  'Target INR',
  'Current Smoker',
]
const GENOTYPE = 'VKORC1 -1639 consensus'

/** Each: a table's columns, and which are predicted from which. */
const TABLES = {
  adult: () => {
    const rows = csv(read('adult/adult.data')).filter((row) => row.length === 15)
    const columns = columnsOf(ADULT.split(','), rows, ['?', ''])
    const without = (...names) => ADULT.split(',').filter((name) => !names.includes(name))
    return [
      { columns, covariate: 'education-num', features: without('education', 'education-num', 'fnlwgt') },
      { columns, covariate: 'income', features: without('income', 'fnlwgt', 'education') },
    ]
  },
  hillstrom: () => {
    const [header, ...rows] = csv(read('hillstrom/hillstrom.csv'))
    const columns = columnsOf(header, rows, [''])
    const features = ['recency', 'history', 'mens', 'zip_code', 'newbie', 'channel']
    return [
      { columns, covariate: 'womens', features, boolean: true },
      { columns, covariate: 'history', features: [...features.filter((name) => name !== 'history'), 'womens'] },
    ]
  },
  warfarin: () => {
    const [header, ...rows] = csv(read('warfarin/warfarin.csv'))
    const columns = columnsOf(
      header,
      rows.filter((row) => row.length > 10),
      ['', 'NA'],
    )
    return [
      { columns, covariate: GENOTYPE, features: WARFARIN },
      { columns, covariate: 'Weight (kg)', features: WARFARIN.filter((name) => name !== 'Weight (kg)') },
    ]
  },
  drawn: () => {
    const random = Random.fromSeed(3)
    const count = 20_000
    const columns = {}
    for (let k = 0; k < 8; k++) columns[`x${k}`] = Float64Array.from({ length: count }, () => 2 * random.uniform() - 1)
    columns.z = Float64Array.from({ length: count }, (_, i) => {
      const [a, b, c] = [columns.x0[i], columns.x1[i], columns.x2[i]]
      return Math.sin(3 * a) + b * c + 0.3 * random.normal()
    })
    return [{ columns, covariate: 'z', features: Object.keys(columns).filter((name) => name !== 'z') }]
  },
}

function compare(name, { columns, covariate, features, boolean }) {
  const chosen = Object.fromEntries([covariate, ...features].map((column) => [column, columns[column]]))
  const table = memoryTable(name, chosen)
  const folds = new Uint8Array(table.rows)
  Random.fromSeed(11)
    .permutation(table.rows)
    .forEach((row, place) => {
      folds[row] = place % FOLDS
    })
  const began = performance.now()
  const declared = boolean ? { [covariate]: { type: 'boolean' } } : {}
  const { card, target } = trainModel(table, { covariate, features, folds, declared })
  const seconds = (performance.now() - began) / 1000
  const codes = (column) => {
    if (column.kind === 'number') return Array.from(column.values, (value) => (Number.isNaN(value) ? null : value))
    return Array.from(column.codes, (code) => (code === 0xffff ? null : code))
  }
  const truths = codes(table.columns.get(covariate))
  const seen = truths.flatMap((truth, row) => (truth === null ? [] : [row]))
  const task = {
    kind: target.type,
    target: seen.map((row) => truths[row]),
    folds: seen.map((row) => folds[row]),
    columns: features.map((feature) => {
      const column = table.columns.get(feature)
      const values = codes(column)
      const kind = column.kind === 'text' ? { kind: 'category', levels: column.levels.length } : { kind: 'number' }
      return { ...kind, values: seen.map((row) => values[row]) }
    }),
  }
  const { version, ...theirs } = peer(task) ?? {}
  const best = Math.min(...Object.values(theirs))
  const list = Object.entries(theirs).map(([model, error]) => `${model} ${error.toFixed(4)}`)
  const tried = card.tried.map((one) => {
    const error = target.type === 'number' ? Math.sqrt(one.loss) : one.loss
    return `${one.class} ${error.toFixed(4)}${one.rows < card.observed ? ` on ${one.rows}` : ''}`
  })
  const ratio = version === undefined ? 'no scikit-learn' : `${(card.error / best).toFixed(3)}x of scikit-learn's best`
  console.log(
    `  ${name} ${covariate} (${target.type}, ${card.observed} rows): ${card.error.toFixed(4)}, ${ratio}, ${seconds.toFixed(0)} s`,
  )
  console.log(`    ${tried.join('; ')}`)
  if (version !== undefined) console.log(`    scikit-learn ${version}: ${list.join('; ')}`)
}

/** Boosted trees on 1,000,000 x 20 in a fresh process: processor seconds and largest memory. */
function large() {
  const script = `
    import { regressionOf } from '@primo/core/engine'
    import { Random } from '@primo/numeric'
    const random = Random.fromSeed(1)
    const count = 1000000, columns = 20
    const inputs = new Float64Array(count * columns)
    for (let i = 0; i < inputs.length; i++) inputs[i] = 2 * random.uniform() - 1
    const targets = Float64Array.from({ length: count }, (_, i) => Math.sin(3 * inputs[i * columns]) +
      inputs[i * columns + 1] * inputs[i * columns + 2] + 0.6 * (random.uniform() - 0.5))
    const start = process.cpuUsage()
    regressionOf({ kind: 'trees', rounds: 100, stop: false, ridge: 0 }).fit({ columns, count, inputs, targets, weights: null }, random)
    const { user, system } = process.cpuUsage(start)
    console.log(JSON.stringify({ seconds: (user + system) / 1e6, megabytes: process.resourceUsage().maxRSS / 1024 }))
  `
  const own = JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: import.meta.dirname }),
  )
  const theirs = peer({ rows: 1_000_000, width: 20, rounds: 100 })
  const text = ({ seconds, megabytes }) => `${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB`
  const ratio =
    theirs === null ? '' : `; HistGradientBoosting ${text(theirs)}: ${(own.seconds / theirs.seconds).toFixed(2)}x`
  console.log(`  trees, 100 rounds, 1,000,000 x 20: ${text(own)}${ratio}`)
}

export function benchTraining() {
  console.log(`Training, ${FOLDS} folds (root mean squared error of numbers, log loss else; Node ${process.version})`)
  // npm run bench -- training --only=adult,large
  const only = process.argv.find((word) => word.startsWith('--only='))
  const wanted = only === undefined ? [...Object.keys(TABLES), 'large'] : only.slice(7).split(',')
  for (const [name, tables] of Object.entries(TABLES)) {
    if (!wanted.includes(name)) continue
    if (name !== 'drawn' && !existsSync(`${DATA}/${name}`)) console.log(`  ${name}: passed over, not in ${DATA}`)
    else for (const table of tables()) compare(name, table)
  }
  if (wanted.includes('large')) large()
}
