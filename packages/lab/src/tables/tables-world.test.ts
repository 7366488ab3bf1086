import { boolean, category, number } from '@primo/core'
import { scaleNumber } from '@primo/core/engine'
import type { PrimoError } from '@primo/numeric'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WorldBlock } from '../environments/environment.js'
import { readTable } from './read-table.js'
import { fileOf, refusal } from './table-files.fixture.js'
import type { TableSpec } from './table-spec.js'
import { type TableWorld, type TableWorldOptions, tableWorld } from './table-world.js'

async function worldOf(content: string, spec: TableSpec, options: TableWorldOptions = {}): Promise<TableWorld> {
  return tableWorld(await readTable(fileOf(content), spec), spec, options)
}

function firstBlock(world: TableWorld): WorldBlock {
  const [block] = world.blocks
  if (block === undefined) throw new Error('no block')
  return block
}

const failure = (content: string, spec: TableSpec): Promise<PrimoError> => refusal(worldOf(content, spec))

const spec: TableSpec = { context: ['x', 'c'], covariate: 'z', prediction: 'g', rewards: ['r0', 'r1'] }
const small = 'x,c,z,g,r0,r1\n0,b,1,2,0.5,-1\n5,a,,3,0,4\n10,b,3,,1,0\n'

describe('tableWorld', () => {
  test('makes number features with the range of the column and one-hot categories', async () => {
    const world = await worldOf(small, spec)
    expect(world.problem).toEqual({
      context: { x: number({ min: 0, max: 10 }), c: category(['a', 'b']) },
      covariates: { z: { ...number({ min: 1, max: 3 }), imputer: { kind: 'column' } } },
      actions: ['r0', 'r1'],
      reward: { min: -1, max: 4 },
    })
    const block = firstBlock(world)
    expect(Array.from(block.context)).toEqual([-1, 0, 1, 0, 1, 0, 1, 0, 1])
    expect(Array.from(block.truth)).toEqual([-1, Number.NaN, 1])
    expect(Array.from(block.observed)).toEqual([1, 0, 1])
    expect(Array.from(block.pretrained)).toEqual([0, 1, Number.NaN])
    expect(Array.from(block.rewards)).toEqual([0.3, 0, 0.2, 1, 0.4, 0.2])
    expect(block).toMatchObject({ count: 3, means: null, floor: null, delay: null })
    expect(world).toMatchObject({ rounds: 3, interactions: 'none', truthKnown: false })
    expect(world.notes.join('\n')).toContain('reward range taken from the table: -1 to 4')
    expect(world.notes.join('\n')).toContain('x 0 to 10')
    expect(world.notes.join('\n')).toContain('context column c is a category of 2 levels, because of "b"')
  })

  test('takes declared ranges, levels, means and the range of the mean', async () => {
    const world = await worldOf('x,c,z,m,mu,r\n1,3,true,1,0.25,0.5\n0,1,0,0,0.5,1\n', {
      context: ['x', 'c'],
      covariate: 'z',
      rewards: ['r'],
      means: ['mu'],
      rewardRange: [-1, 2],
      meanRange: [0, 0.5],
      ranges: { x: [-10, 10] },
      features: { c: category(['3', '2', '1']), z: boolean() },
      interactions: [['z', 'x']],
    })
    const block = firstBlock(world)
    expect(Array.from(block.context)).toEqual([0.1, 1, 0, 0, 0, 0, 0, 1])
    expect(Array.from(block.truth)).toEqual([1, 0])
    expect(Array.from(block.means ?? [])).toEqual([0.5, 1])
    expect(Array.from(block.rewards)).toEqual([1, 2])
    expect(world.problem.reward).toEqual({ min: -1, max: 2, mean: { min: 0, max: 0.5 } })
    expect(world.interactions).toEqual([['z', 'x']])
    expect(world.truthKnown).toBe(true)
    expect(world.notes).toEqual(['z: seen in 100.0% of 2 rows, 0.00 to 1.00'])
  })

  test('encodes a categorical covariate and its prediction by level or by probabilities', async () => {
    const byLevel = await worldOf('x,z,g,r\n1,low,high,1\n2,,low,1\n3,high,,1\n', {
      context: ['x'],
      covariate: 'z',
      prediction: 'g',
      rewards: ['r'],
    })
    expect(byLevel.problem.covariates.z).toEqual({ ...category(['high', 'low']), imputer: { kind: 'column' } })
    expect(Array.from(firstBlock(byLevel).truth)).toEqual([0, 1, Number.NaN, Number.NaN, 1, 0])
    expect(Array.from(firstBlock(byLevel).pretrained)).toEqual([1, 0, 0, 1, Number.NaN, Number.NaN])
    const byProbability = await worldOf('x,z,g=1,g=2,r\n1,1,0.25,0.75,1\n2,,1,,1\n3,2,,,1\n4,2,0.5,0.4,1\n', {
      context: ['x'],
      covariate: 'z',
      prediction: 'g',
      rewards: ['r'],
    })
    expect(byProbability.problem.covariates.z).toMatchObject(category(['1', '2']))
    const none = Number.NaN
    expect(Array.from(firstBlock(byProbability).pretrained)).toEqual([0.25, 0.75, 1, 0, none, none, none, none])
    expect(byProbability.notes.join('\n')).toContain('1 predictions of z are not possible values and count as missing')
  })

  test('makes booleans of true and false, with predictions that are probabilities or true and false', async () => {
    const given: TableSpec = { context: ['x'], covariate: 'z', prediction: 'g', rewards: ['r'] }
    const world = await worldOf('x,z,g,r\nTRUE,true,0.25,1\nfalse,,1,0\nfalse,FALSE,1.5,0\n', given)
    expect(world.problem.context.x).toEqual(boolean())
    expect(world.problem.covariates.z).toEqual({ ...boolean(), imputer: { kind: 'column' } })
    expect(Array.from(firstBlock(world).context)).toEqual([1, 0, 0])
    expect(Array.from(firstBlock(world).truth)).toEqual([1, Number.NaN, 0])
    expect(Array.from(firstBlock(world).pretrained)).toEqual([0.25, 1, Number.NaN])
    expect(world.notes.join('\n')).toContain('1 predictions of z are not possible values')
    const texts = 'x,z,g,r\n1,1,true,1\n2,,False,0\n'
    const declared = await worldOf(texts, { ...given, features: { z: boolean() } })
    expect(Array.from(firstBlock(declared).pretrained)).toEqual([1, 0])
    const unseen = await worldOf('x,z,g,r\n1,,true,1\n2,,False,0\n', given)
    expect(unseen.problem.covariates.z).toMatchObject(boolean())
    const error = await failure('x,z,g,r\n1,true,high,1\n2,,low,0\n', given)
    expect(error.message).toContain(
      'line 2 (row 1), column "g": must be a probability, as z is true or false, got "high"',
    )
  })

  test('makes no level of a prediction that nobody has observed, and refuses numbers for the levels of a category', async () => {
    const given: TableSpec = { context: ['x'], covariate: 'z', prediction: 'g', rewards: ['r'] }
    const world = await worldOf('x,z,g,r\n1,low,mid,1\n2,,low,1\n3,high,high,1\n', given)
    expect(world.problem.covariates.z).toMatchObject(category(['high', 'low']))
    expect(world.notes.join('\n')).toContain(
      '1 predictions of z are not possible values and count as missing, such as "mid"',
    )
    const unseen = await worldOf('x,z,g,r\n1,,low,1\n2,,high,1\n', given)
    expect(unseen.problem.covariates.z).toMatchObject(category(['high', 'low']))
    const error = await failure('x,z,g,r\n1,low,,1\n2,,0.25,1\n3,high,0.5,1\n', given)
    expect(error.code).toBe('wrong-type')
    expect(error.message).toContain('line 3 (row 2), column "g": must be a level of z (high, low), which is a category')
    expect(error.message).toContain('"g=level"')
    const mixed = await worldOf('x,z,g,r\n1,True,true,1\n2,unknown,false,1\n3,False,,1\n', given)
    expect(Array.from(firstBlock(mixed).pretrained.subarray(0, 6))).toEqual([0, 1, 0, 1, 0, 0])
  })

  test('says what fills missing values when there is no prediction', async () => {
    const given: TableSpec = { context: ['x'], covariate: 'z', rewards: ['r'] }
    const note =
      'missing and there is no prediction: policies that use the model fill them with the middle of its range'
    expect((await worldOf('x,z,r\n1,,1\n2,3,0\n', given)).notes.join('\n')).toContain(`1 values of z are ${note}`)
    expect((await worldOf('x,z,r\n1,2,1\n2,3,0\n', given)).notes.join('\n')).not.toContain('no prediction')
  })

  test('counts a prediction outside the declared range as none and says so', async () => {
    const declared = await worldOf('x,c,z,g,r0,r1\n1,a,1,2,0,0\n2,a,,9,0,1\n', { ...spec, ranges: { z: [0, 2.5] } })
    expect(Array.from(firstBlock(declared).pretrained)).toEqual([
      scaleNumber(number({ min: 0, max: 2.5 }), 2),
      Number.NaN,
    ])
    expect(declared.notes.join('\n')).toContain('1 predictions of z are not possible values and count as missing')
  })

  test('widens the range of constant columns and says so', async () => {
    const world = await worldOf('x,z,r\n5,2000000,1\n5,2000000,1\n', { context: ['x'], covariate: 'z', rewards: ['r'] })
    expect(world.problem.context.x).toEqual(number({ min: 4, max: 6 }))
    expect(world.problem.covariates.z).toMatchObject({ min: 1_998_000, max: 2_002_000 })
    expect(world.problem.reward).toEqual({ min: 0, max: 2 })
    expect(Array.from(firstBlock(world).context)).toEqual([0, 0])
    expect(world.notes.filter((note) => note.includes('constant: range widened'))).toHaveLength(3)
  })

  test('gives sensible worlds for one action, no missing row, all rows missing and no context', async () => {
    const full = await worldOf('z,r\n1,0\n2,1\n', { context: [], covariate: 'z', rewards: ['r'] })
    expect(full.problem.actions).toEqual(['r'])
    expect(full.truthKnown).toBe(true)
    expect(Array.from(firstBlock(full).observed)).toEqual([1, 1])
    expect(firstBlock(full).context).toHaveLength(0)
    const none = await worldOf('x,z,r\n1,,0\n2,,1\n', { context: ['x'], covariate: 'z', rewards: ['r'] })
    expect(Array.from(firstBlock(none).observed)).toEqual([0, 0])
    expect(none.problem.covariates.z).toMatchObject({ type: 'number', min: -1, max: 1 })
    expect(none.notes.join('\n')).toContain('z is never observed or predicted: its range is taken as -1 to 1')
    const predicted = await worldOf('x,z,g,r\n1,,4,0\n2,,6,1\n', {
      context: ['x'],
      covariate: 'z',
      prediction: 'g',
      rewards: ['r'],
    })
    expect(Array.from(firstBlock(predicted).pretrained)).toEqual([-1, 1])
  })

  test.each<[string, string, Partial<TableSpec>, string, string]>([
    [
      'an empty context cell',
      'x,c,z,g,r0,r1\n1,a,1,1,1,1\n,a,1,1,1,1\n',
      {},
      'line 3 (row 2), column "x": must have a value (only a covariate may be missing: name it as one, or leave it out), got an empty cell',
      'missing-feature',
    ],
    [
      'an empty reward',
      'x,c,z,g,r0,r1\n1,a,1,1,1,\n',
      {},
      'line 2 (row 1), column "r1": must have a value',
      'missing-feature',
    ],
    [
      'a reward outside the range',
      small,
      { rewardRange: [-1, 3] },
      'line 3 (row 2), column "r1": must be between -1 and 3, got 4',
      'out-of-range',
    ],
    [
      'a context outside its range',
      small,
      { ranges: { x: [0, 9] } },
      'line 4 (row 3), column "x": must be between 0 and 9, got 10',
      'out-of-range',
    ],
    [
      'a covariate outside its range',
      small,
      { ranges: { z: [0, 2] } },
      'line 4 (row 3), column "z": must be between 0 and 2, got 3',
      'out-of-range',
    ],
    [
      'an unknown level',
      small,
      { features: { c: category(['b']) } },
      'line 3 (row 2), column "c": must be one of "b", got "a"',
      'unknown-level',
    ],
    [
      'a boolean that is 5',
      small,
      { features: { x: boolean() } },
      'line 3 (row 2), column "x": must be true, false, 1 or 0, got 5',
      'out-of-range',
    ],
    [
      'a text prediction of a number',
      'x,c,z,g,r0,r1\n1,a,1,b,1,1\n',
      {},
      'line 2 (row 1), column "g": must be a number, as z is, got "b"',
      'wrong-type',
    ],
    ['no rewards', small, { rewards: [] }, 'rewards must be one column per action, got none', 'invalid-option'],
    [
      'a name with =',
      'x=1,c,z,g,r0,r1\n1,a,1,1,1,1\n',
      { context: ['x=1'] },
      'named by non-empty text without "="',
      'invalid-problem',
    ],
  ])('refuses %s', async (_name, content, part, message, code) => {
    const error = await failure(content, { ...spec, ...part })
    expect(error.message).toContain(message)
    expect(error.code).toBe(code)
  })

  test('refuses an empty cell where the flag says observed', async () => {
    const error = await failure('x,z,b,r\n1,1,1,1\n1,,1,1\n', {
      context: ['x'],
      covariate: 'z',
      observed: 'b',
      rewards: ['r'],
    })
    expect(error.message).toContain('line 3 (row 2), column "z": must have a value (b is 1), got an empty cell')
  })

  test('gives blocks of 4,096 in file order, any number of times, or in a seeded order', async () => {
    const rows = 9000
    const content = `x,z,r\n${Array.from({ length: rows }, (_, k) => `${k},${k % 2 === 0 ? '' : k},${k}`).join('\n')}\n`
    const plain: TableSpec = { context: ['x'], covariate: 'z', rewards: ['r'] }
    const world = await worldOf(content, plain)
    const counts = Array.from(world.blocks, (block) => block.count)
    expect(counts).toEqual([4096, 4096, 808])
    const order = (given: TableWorld) => Array.from(given.blocks).flatMap((block) => Array.from(block.rewards))
    const inFile = order(world)
    expect(order(world)).toEqual(inFile)
    expect(inFile).toEqual(Array.from({ length: rows }, (_, k) => k / (rows - 1)))
    const shuffled = order(await worldOf(content, plain, { order: 'shuffled', seed: 3 }))
    expect(shuffled).not.toEqual(inFile)
    expect(shuffled).toEqual(order(await worldOf(content, plain, { order: 'shuffled', seed: 3 })))
    expect(shuffled).not.toEqual(order(await worldOf(content, plain, { order: 'shuffled', seed: 4 })))
    expect(Float64Array.from(shuffled).sort()).toEqual(Float64Array.from(inFile))
    for (const block of (await worldOf(content, plain, { order: 'shuffled', seed: 3 })).blocks) {
      for (let row = 0; row < block.count; row++) {
        const round = Math.round(block.rewards[row]! * (rows - 1))
        const together = Math.abs(block.context[row]! - ((2 * round) / (rows - 1) - 1)) < 1e-12
        if (block.observed[row] !== round % 2 || !together) throw new Error(`round ${round} was taken apart`)
      }
    }
  })
})

describe('a covariate that is present but flagged missing', () => {
  const given: TableSpec = { context: ['x'], covariate: 'z', observed: 'b', prediction: 'g', rewards: ['r'] }
  const row = fc.record({
    x: fc.integer({ min: -50, max: 50 }),
    z: fc.double({ min: -5, max: 5, noNaN: true }),
    b: fc.constantFrom(0, 1),
    g: fc.double({ min: -3, max: 3, noNaN: true }),
    garbage: fc.oneof(
      fc.double({ noNaN: true, min: -1e300, max: 1e300 }).map(String),
      fc.constantFrom('', 'level', 'NaN', '1e999'),
    ),
  })

  const anyText = fc.stringMatching(/^[a-z0-9]{1,3}$/)
  const numbers = fc.array(row, { minLength: 1, maxLength: 12 })
  const levels = fc
    .tuple(numbers, fc.array(fc.tuple(fc.constantFrom('low', 'high'), anyText), { minLength: 12, maxLength: 12 }))
    .map(([rows, texts]) => rows.map((of, k) => ({ ...of, z: texts[k]![0], g: 'low', garbage: texts[k]![1] })))

  const booleans = levels.map((rows) => rows.map((of) => ({ ...of, z: of.z === 'low' ? 'true' : 'FALSE', g: '0.5' })))

  test.each([
    ['number', numbers],
    ['category', levels],
    ['boolean', booleans],
  ])('is never seen: garbage there changes no byte of what a policy may see (a %s)', async (_kind, tables) => {
    await fc.assert(
      fc.asyncProperty(tables as unknown as typeof numbers, async (rows) => {
        const content = (hidden: (of: (typeof rows)[number]) => string) =>
          `x,z,b,g,r\n${rows.map((of) => `${of.x},${of.b === 1 ? of.z : hidden(of)},${of.b},${of.g},${of.x}`).join('\n')}\n`
        const clean = await worldOf(
          content(() => ''),
          given,
        )
        const dirty = await worldOf(
          content((of) => of.garbage),
          given,
        )
        expect(dirty.problem).toEqual(clean.problem)
        const a = firstBlock(clean)
        const b = firstBlock(dirty)
        for (const name of ['context', 'observed', 'pretrained', 'rewards'] as const) {
          expect(Buffer.compare(Buffer.from(a[name].buffer), Buffer.from(b[name].buffer)), name).toBe(0)
        }
        const width = a.truth.length / a.count
        a.truth.forEach((value, k) => {
          if (a.observed[Math.floor(k / width)] === 1) expect(Object.is(value, b.truth[k])).toBe(true)
        })
      }),
      { numRuns: 100 },
    )
  })
})
