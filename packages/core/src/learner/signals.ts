// Signals of a round (method#early-signals): what was seen after its decision and before its reward is final. What was reported first
// stays; a round that is no longer open takes no new ones.

import { PrimoError, show } from '@primo/numeric'
import { type Encoding, featureRecord } from '../problem/encoding.js'
import { encodeValue, wrongType } from '../problem/feature.js'
import { offsetOf, RoundStatus, type RoundTable, signalsOf } from '../rounds/round-table.js'

/** Signals in columns, NaN where none was given; throws a PrimoError when they cannot be signals of the problem. */
export function encodeSignals({ signals, signalWidth }: Encoding, given: unknown): Float64Array {
  if (given === undefined) throw wrongType('signals', 'an object', given)
  const named = featureRecord(signals, 'signals', given)
  const values = new Float64Array(signalWidth).fill(Number.NaN)
  for (const { name, field, feature, at } of signals)
    if (Object.hasOwn(named, name)) encodeValue(field, feature, named[name], values, at)
  return values
}

/** Writes what is new of them and returns true; false: nothing is. Throws `signal-conflict` or `round-closed` and then changes nothing. */
export function takeSignals(
  encoding: Encoding,
  table: RoundTable,
  round: number,
  id: string,
  given: unknown,
  accept: () => void,
): boolean {
  const values = encodeSignals(encoding, given)
  const { signalWidth } = encoding
  const block = table.block(round)
  const row = offsetOf(round)
  const known = block.signals?.subarray(row * signalWidth, (row + 1) * signalWidth)
  const fresh = encoding.signals.filter(({ name, at, width }) => {
    if (Number.isNaN(values[at])) return false
    if (known === undefined || Number.isNaN(known[at])) return true
    for (let k = at; k < at + width; k++)
      if (known[k] !== values[k])
        throw new PrimoError(
          'signal-conflict',
          `signals.${name} of round ${show(id)} must stay what was first reported, got ${show((given as Record<string, unknown>)[name])}`,
          { id, signal: name },
        )
    return false
  })
  if (fresh.length === 0) return false
  if (block.status[row] !== RoundStatus.open)
    throw new PrimoError('round-closed', `the round of a signal must be open, got ${show(id)} which is closed`, { id })
  accept()
  const columns = signalsOf(block, table.shape)
  for (const { at, width } of fresh) for (let k = at; k < at + width; k++) columns[row * signalWidth + k] = values[k]!
  return true
}
