import type { DecisionBody, Mode } from '@primo/contract'
import { createDecider, createEngine, type EpochState, initialState } from '@primo/core/engine'
import { seedKey } from '@primo/numeric'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Command, Decide } from '../ledger/commands.js'
import { type DecisionToWrite, givenRequest, replyOf, wholeRecord } from './codec.js'
import { createFastCodec } from './fast-codec.js'
import { plainCodec } from './plain-codec.js'

const unit = { type: 'number', min: -1, max: 1 } as const
const engine = createEngine({
  context: { x: unit, 'größe "m"': unit },
  covariates: {
    z: { ...unit, imputer: { kind: 'linear', intercept: 0.1, coefficients: { x: 1 / 3 } }, audit: { share: 0.5 } },
    town: { type: 'category', levels: ['ä', 'b"c'], imputer: { kind: 'constant', value: { ä: 0.3, 'b"c': 0.7 } } },
  },
  actions: ['one', 'two', 'drei "3"'],
  reward: { min: 0, max: 1 },
})
const untrained = initialState(2)
/** What the writer reads of a state that has learnt. */
const trained = { ...untrained, version: 3, epoch: 4, gamma: 17.25, rewardModel: {} } as unknown as EpochState

const number = fc.oneof(
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.integer({ min: -1e4, max: 1e4 }).map((k) => k / 1e4),
)
const score = fc.oneof(number, fc.constantFrom(0, 0.5, -0, 1e-9, 3.5, -1e300))
const request = fc.record({
  context: fc.record({ x: number, 'größe "m"': number }),
  covariates: fc.record({
    z: fc.oneof(number, fc.constant(null)),
    town: fc.constantFrom(null, 'ä', 'b"c'),
  }),
  spaces: fc.constantFrom(0, 2),
})
const decided = fc.record({
  id: fc.uuid(),
  eventId: fc.oneof(fc.constant(null), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 })),
  holdout: fc.boolean(),
  deferred: fc.boolean(),
  windowed: fc.boolean(),
  eligible: fc.oneof(fc.constant(undefined), fc.shuffledSubarray([...engine.encoding.actions], { minLength: 1 })),
  scores: fc.tuple(score, score, score),
  propensities: fc.tuple(score, score, score),
  reason: fc.constantFrom(undefined, 'unknown', 'not "asked"'),
  source: fc.constantFrom('pretrained', 'cache'),
  served: fc.oneof(fc.constant(undefined), fc.record({ action: fc.nat(2), propensity: number })),
})

/** A decision to write, drawn by a real policy and then varied. */
function decisionOf(
  { spaces, ...asked }: { spaces: number } & Pick<DecisionBody, 'context' | 'covariates'>,
  { scores, propensities, reason, source, ...made }: typeof decided extends fc.Arbitrary<infer T> ? T : never,
): DecisionToWrite {
  const full = { ...asked, ...(reason === undefined ? {} : { missing: { z: reason } }) }
  const decider = createDecider(engine, untrained, seedKey(7))
  const choice = decider.decide(asked, made.id)
  return {
    ...made,
    given: givenRequest(full, JSON.stringify(full, null, spaces)),
    choice: { ...choice, scores: Float64Array.from(scores) },
    action: choice.action,
    propensities: Float64Array.from(propensities),
    covariates: Object.fromEntries(
      Object.entries(decider.uses(choice)).map(([name, use]) => [
        name,
        use.status === 'observed' ? use : { ...use, source },
      ]),
    ),
  }
}

test.each([
  ['before anything was learnt', untrained],
  ['by a policy that was learnt', trained],
])('the fast codec writes the bytes of the plain one, %s', (_, state) => {
  const policy = { engine, state, mode: 'active' as Mode }
  const fast = createFastCodec().decisionWriter(policy)
  const plain = plainCodec.decisionWriter(policy)
  fc.assert(
    fc.property(request, decided, (asked, made) => {
      const decision = decisionOf(asked, made)
      const expected = plain(decision)
      const written = fast(decision)
      expect(Buffer.from(written.record).toString()).toBe(Buffer.from(expected.record).toString())
      expect(written).toMatchObject({ replyAt: expected.replyAt, covariates: expected.covariates })
      const { windowed } = decision
      const whole = JSON.parse(Buffer.from(wholeRecord({ ...written, windowed }, 5)).toString())
      expect(JSON.parse(Buffer.from(replyOf({ ...written, windowed }, 5)).toString())).toEqual(whole.reply)
      expect(whole.reply.rewardDeadline).toBe(windowed ? 5 : null)
    }),
    { numRuns: 500 },
  )
})

test('a record stays what it is while many others are written', () => {
  const write = createFastCodec().decisionWriter({ engine, state: untrained, mode: 'active' })
  const [asked] = fc.sample(request, { numRuns: 1, seed: 1 })
  const records = fc.sample(decided, { numRuns: 300, seed: 1 }).map((made) => {
    const { record } = write(decisionOf(asked!, made))
    return { record, text: Buffer.from(record).toString() }
  })
  expect(records.reduce((sum, { record }) => sum + record.length, 0)).toBeGreaterThan(2 ** 17)
  for (const { record, text } of records) expect(Buffer.from(record).toString()).toBe(text)
})

test('texts that are not released stay what they are, whatever is released and written between', () => {
  const codec = createFastCodec()
  const write = codec.decisionWriter({ engine, state: untrained, mode: 'active' })
  const [asked] = fc.sample(request, { numRuns: 1, seed: 2 })
  const [made] = fc.sample(decided, { numRuns: 1, seed: 2 })
  const decision = decisionOf(asked!, made!)
  const buffers = new Set<ArrayBufferLike>()
  let held: { readonly texts: readonly Uint8Array[]; readonly said: readonly string[] }[] = []
  const said = (texts: readonly Uint8Array[]) => texts.map((text) => Buffer.from(text).toString())
  for (let call = 0; call < 400; call++) {
    const records = Array.from({ length: 20 }, (_, k) => write({ ...decision, id: `${call}-${k}` }).record)
    const list = codec.listResults(records.map((record) => record.subarray(0, 50)))
    expect(Buffer.from(list).equals(plainCodec.listResults(records.map((record) => record.subarray(0, 50))))).toBe(true)
    const texts = [...records, list]
    for (const { buffer } of texts) buffers.add(buffer)
    held.push({ texts, said: said(texts) })
    for (const one of held) expect(said(one.texts)).toEqual(one.said)
    if (call % 4 === 3) {
      for (const { texts: done } of held) codec.release(done)
      held = []
    }
  }
  // Far fewer than what was written would fill.
  expect(buffers.size).toBeLessThan(8)
})

const decide: fc.Arbitrary<Decide> = fc.record({
  kind: fc.constant('decide' as const),
  problem: fc.constantFrom('p', 'q'),
  revision: fc.constantFrom(1, 2),
  id: fc.uuid(),
  eventId: fc.oneof(fc.constant(null), fc.string()),
  record: fc.uint8Array({ maxLength: 20_000 }),
  replyAt: fc.nat(100),
  windowed: fc.boolean(),
  action: fc.string(),
  holdout: fc.boolean(),
  deferred: fc.boolean(),
  covariates: fc.constantFrom({}, { z: { observed: true, source: 'observed', reason: null, asked: false } }),
  clipped: fc.constantFrom([], ['x']),
})
const other: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant('tick' as const),
  problem: fc.constantFrom('p', 'q'),
})

test('commands arrive in another thread as they were, one message after the other', () => {
  const fast = createFastCodec()
  fc.assert(
    fc.property(fc.array(fc.oneof(decide, decide, other), { maxLength: 80 }), (commands) => {
      const sent = (codec: typeof fast) => codec.unpack(structuredClone(codec.pack(commands)))
      expect(sent(fast)).toEqual(sent(plainCodec))
    }),
    { numRuns: 50 },
  )
})
