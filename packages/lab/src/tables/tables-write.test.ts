import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { boolean, category, number } from '@primo/core'
import { scaleNumber } from '@primo/core/engine'
import { BLOCK_ROUNDS, PrimoError, Random } from '@primo/numeric'
import fc from 'fast-check'
import { parquetWriteFile } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import { dosingEnvironment } from '../environments/dosing.js'
import type { Environment, WorldBlock } from '../environments/environment.js'
import { pricingEnvironment } from '../environments/pricing.js'
import { referenceEnvironment } from '../environments/reference.js'
import { calibrateTable } from './calibrate-table.js'
import { calibratedColumns } from './calibrated-columns.js'
import { calibrated, spec } from './calibrated-tables.fixture.js'
import { rowsOf } from './duckdb.js'
import { readTable } from './read-table.js'
import { folder } from './table-files.fixture.js'
import type { TableSpec } from './table-spec.js'
import { tableWorld } from './table-world.js'
import { exactValue, numberUnit, rewardUnit } from './user-units.js'
import { writeWithColumns } from './write-calibrated.js'
import { writeWorld } from './write-table.js'

const age = number({ min: 18, max: 95 })

/** Every kind of feature, a categorical covariate with predicted probabilities, some predictions absent. */
const mixed: Environment = {
  name: 'mixed',
  interactions: [['gene', 'age']],
  problem: {
    context: { age, smoker: boolean(), city: category(['Oslo', 'Lyon, "old"', ' Rome ']) },
    covariates: { gene: { ...category(['b', 'a']), imputer: { kind: 'column' } } },
    actions: ['low', 'high'],
    reward: { min: -2, max: 3 },
  },
  block: (seed, index, count) => {
    const random = Random.fromSeed(seed).split('mixed', index)
    const context = new Float64Array(count * 5)
    const truth = new Float64Array(count * 2)
    const observed = new Uint8Array(count)
    const pretrained = new Float64Array(count * 2)
    const rewards = new Float64Array(count * 2)
    for (let row = 0; row < count; row++) {
      context[row * 5] = scaleNumber(age, 18 + random.integer(78))
      context[row * 5 + 1] = random.integer(2)
      context[row * 5 + 2 + random.integer(3)] = 1
      truth[row * 2 + random.integer(2)] = 1
      observed[row] = random.integer(2)
      const p = random.uniform()
      pretrained.set(random.integer(10) === 0 ? [Number.NaN, Number.NaN] : [p, 1 - p], row * 2)
      for (let a = 0; a < 2; a++) rewards[row * 2 + a] = (random.integer(500) / 100 - 2 + 2) / 5
    }
    return { count, context, truth, observed, pretrained, means: null, rewards, floor: null, delay: null }
  },
}

function expectEqualBits(read: WorldBlock, written: WorldBlock): void {
  expect(read.count).toBe(written.count)
  for (const name of ['context', 'truth', 'observed', 'pretrained', 'rewards'] as const) {
    expect(Buffer.compare(Buffer.from(read[name].buffer), Buffer.from(written[name].buffer)), name).toBe(0)
  }
  if (written.means === null) expect(read.means).toBeNull()
  else expect(Buffer.compare(Buffer.from(read.means!.buffer), Buffer.from(written.means.buffer)), 'means').toBe(0)
}

describe('writeWorld', () => {
  const environments = [
    referenceEnvironment('A'),
    referenceEnvironment('B'),
    dosingEnvironment(),
    pricingEnvironment(),
    mixed,
  ]
  const cases = environments.flatMap((environment) =>
    (['csv', 'parquet'] as const).map((kind) => [environment, kind] as const),
  )

  test.each(cases.map(([environment, kind]) => [environment.name, kind, environment] as const))(
    '%s as %s is read back bit by bit',
    async (name, kind, environment) => {
      const file = join(folder, `${name}.${kind}`)
      const rounds = BLOCK_ROUNDS + 700
      const { spec, inexact } = await writeWorld(environment, { file, seed: 11, rounds })
      expect(inexact).toBe(0)
      const world = tableWorld(await readTable(file, spec), spec)
      expect(world.rounds).toBe(rounds)
      expect(world.truthKnown).toBe(true)
      expect(world.interactions).toEqual(environment.interactions)
      expect(Object.values(world.problem.context)).toEqual(Object.values(environment.problem.context))
      let index = 0
      for (const block of world.blocks) {
        expectEqualBits(block, environment.block(11, index++, block.count))
      }
      expect(index).toBe(2)
    },
  )

  test('writes the columns in order, the truth in every row, and nothing but the file', async () => {
    const file = join(folder, 'columns.csv')
    await writeWorld(mixed, { file, seed: 1, rounds: 3 })
    const lines = readFileSync(file, 'utf8').split('\n')
    expect(lines[0]).toBe('age,smoker,city,gene,observed,prediction=b,prediction=a,r0,r1')
    expect(lines).toHaveLength(5)
    for (const line of lines.slice(1, 4)) expect(line).toMatch(/,(a|b),[01],/)
    expect(existsSync(`${file}.part`)).toBe(false)
  })

  test('leaves no file behind when the environment fails, and names a folder that is not there', async () => {
    const file = join(folder, 'failed.csv')
    const failing: Environment = {
      ...mixed,
      block: (seed, index, count) => {
        if (index === 1) throw new Error('broken')
        return mixed.block(seed, index, count)
      },
    }
    await expect(writeWorld(failing, { file, seed: 1, rounds: 5000 })).rejects.toThrow('broken')
    expect(existsSync(file) || existsSync(`${file}.part`)).toBe(false)
    const nowhere = join(folder, 'no', 'where.csv')
    await expect(writeWorld(mixed, { file: nowhere, seed: 1, rounds: 1 })).rejects.toThrow(
      `${nowhere}: cannot be written`,
    )
  })

  test('refuses a problem without a covariate and columns of the same name', async () => {
    const file = join(folder, 'refused.csv')
    const without: Environment = { ...mixed, problem: { ...mixed.problem, covariates: {} } }
    await expect(writeWorld(without, { file, seed: 1, rounds: 1 })).rejects.toThrow('a problem with one covariate')
    const clash: Environment = {
      ...mixed,
      problem: { ...mixed.problem, context: { age, observed: boolean(), city: category(['a', 'b', 'c']) } },
    }
    await expect(writeWorld(clash, { file, seed: 1, rounds: 1 })).rejects.toThrow('named other than "observed"')
  })

  test("counts values that no double in the user's units reads back as", async () => {
    const off: Environment = {
      ...mixed,
      block: (seed, index, count) => {
        const block = mixed.block(seed, index, count)
        // Near the middle of 18..95 the values inside are finer than any age.
        block.context[0] = 1.2345e-20
        return block
      },
    }
    expect((await writeWorld(off, { file: join(folder, 'inexact.csv'), seed: 1, rounds: 10 })).inexact).toBe(1)
  })
})

describe('exactValue', () => {
  test('finds a value that reads back to the bit whenever the inside value came from one', () => {
    const end = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(end, end, fc.double({ min: 0, max: 1, noNaN: true }), (a, b, share) => {
        fc.pre(Math.abs(a - b) > 1e-3)
        const [min, max] = a < b ? [a, b] : [b, a]
        const value = min + share * (max - min)
        for (const unit of [numberUnit(number({ min, max })), rewardUnit(min, max)]) {
          const inside = unit.toInside(value)
          expect(unit.toInside(exactValue(unit, inside))).toBe(inside)
        }
      }),
      { numRuns: 2000 },
    )
  })
})

describe('writeWithColumns', () => {
  test('keeps every byte of a CSV file and adds the calibrated column', async () => {
    const content =
      '\ufeffx1,"note, quoted",x2,z,b,g\r\n1,"a ""b""\r\nc",0.10,1.50,1,2\r\n2,,3,,0,\r\n3,é,1e2,7,1,5\r\n\r\n'
    const { calibration, table } = await calibrated(content)
    const columns = calibratedColumns(calibration)
    const out = join(folder, 'out.csv')
    await writeWithColumns(table, columns, out)
    const [a, , c] = columns[0]!.values
    expect(readFileSync(out, 'utf8')).toBe(
      `\ufeffx1,"note, quoted",x2,z,b,g,calibrated\r\n1,"a ""b""\r\nc",0.10,1.50,1,2,${a}\r\n2,,3,,0,,\r\n3,é,1e2,7,1,5,${c}\r\n`,
    )
    const again = await readTable(out, { ...spec, prediction: 'calibrated' })
    expect(again.rows).toBe(3)
    await expect(writeWithColumns(again, columns, join(folder, 'x.csv'))).rejects.toThrow(
      'column "calibrated": there is a column of this name already',
    )
    await expect(writeWithColumns(table, columns, table.file)).rejects.toThrow('must not be the input file')
    await expect(writeWithColumns(table, columns, join(folder, 'x.parquet'))).rejects.toThrow('must end in .csv')
  })

  test('keeps the stored values of every Parquet column', async () => {
    const file = join(folder, 'in.parquet')
    const count = 500
    const list = <V>(make: (k: number) => V): V[] => Array.from({ length: count }, (_, k) => make(k))
    parquetWriteFile({
      filename: file,
      rowGroupSize: 200,
      kvMetadata: [{ key: 'made', value: 'by a test' }],
      columnData: [
        { name: 'x1', data: list((k) => Math.sin(k)), type: 'DOUBLE' },
        { name: 'x2', data: list((k) => `c${k % 3}`), type: 'STRING' },
        { name: 'z', data: list((k) => (k % 2 === 0 ? Math.sin(k) : null)), type: 'DOUBLE' },
        { name: 'g', data: list((k) => Math.sin(k) + 0.5), type: 'DOUBLE' },
        { name: 'when', data: list((k) => (k === 7 ? null : new Date(1e12 + k))), type: 'TIMESTAMP' },
        { name: 'id', data: list((k) => BigInt(k) * 10n ** 15n), type: 'INT64' },
        { name: 'flag', data: list((k) => (k % 5 === 0 ? null : k % 2 === 0)), type: 'BOOLEAN' },
        { name: 'json', data: list((k) => ({ k, deep: [k] })), type: 'JSON' },
        { name: 'small', data: list((k) => k - 250), type: 'INT32' },
      ],
    })
    const given: TableSpec = { context: ['x1', 'x2'], covariate: 'z', prediction: 'g' }
    const table = await readTable(file, given)
    const columns = calibratedColumns(calibrateTable(table, given))
    const out = join(folder, 'out.parquet')
    await writeWithColumns(table, columns, out)
    const before = await rowsOf(`select * from '${file}'`)
    const after = await rowsOf(`select * from '${out}'`)
    const types = (path: string) => rowsOf(`select name, type, converted_type from parquet_schema('${path}') offset 1`)
    expect((await types(out)).map(({ name }) => name)).toEqual([
      ...(await types(file)).map(({ name }) => name),
      'calibrated',
    ])
    const kept = `select decode(value) as made from parquet_kv_metadata('${out}') where decode(key) = 'made'`
    expect(await rowsOf(kept)).toEqual([{ made: 'by a test' }])
    expect(after).toHaveLength(count)
    after.forEach((row, k) => {
      const { calibrated: value, ...rest } = row
      if (value !== columns[0]!.values[k]) throw new Error(`row ${k} has ${value}`)
      expect(rest).toEqual(before[k])
    })
    const error = await writeWithColumns(table, columns, join(folder, 'out.csv')).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PrimoError)
  })
})
