// Log rows for tests: every column, with the values that formats like to lose.

import { Random } from '@primo/numeric'
import { type LogCell, type LogHeader, type LogRow, logColumns, logHeader } from '../node.js'

export const header: LogHeader = logHeader({
  actions: ['low', 'medium, "high"', 'none'],
  context: {
    age: { type: 'number', min: -1e300, max: 1e300 },
    'first.name': { type: 'category', levels: ['a', 'b=c'] },
    smoker: { type: 'boolean' },
  },
  covariates: {
    dose: { type: 'number', min: -5, max: 5 },
    gene: { type: 'category', levels: ['AA', 'A=G'], other: true },
    wet: { type: 'boolean' },
  },
  reward: { min: -2, max: 2, mean: { min: 0, max: 1 } },
})

const texts = [
  '',
  ' ',
  'plain',
  'a,b',
  '"',
  'line\nbreak',
  '\r\n',
  'ÄÖ 漢字 🎲',
  'null',
  '-0',
  '1e5',
  'true',
  '\u0000x',
]
const numbers = [0, -0, 0.1, 1 / 3, 5e-324, -Number.MAX_VALUE, 2 ** 53, 1e21, 123456789.123]

/** Rows in which any cell that may be null sometimes is. */
export function* rows(count: number, seed: number): Generator<LogRow> {
  const random = Random.fromSeed(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.uniform() * list.length)]!
  const columns = logColumns(header)
  for (let number = 1; number <= count; number++) {
    const row: Record<string, LogCell> = {}
    for (const { name, kind, required, among } of columns) {
      if (!required && random.uniform() < 0.3) row[name] = null
      else if (kind === 'text') row[name] = pick(among ?? texts)
      else if (kind === 'number') row[name] = random.uniform() < 0.5 ? pick(numbers) : random.normal()
      else if (kind === 'integer') row[name] = pick([0, 1, -7, number, Number.MAX_SAFE_INTEGER, 1_700_000_000_123])
      else if (kind === 'boolean') row[name] = random.uniform() < 0.5
      else if (kind === 'numbers') row[name] = Array.from({ length: pick([0, 1, 3]) }, () => pick(numbers))
      else row[name] = Array.from({ length: pick([0, 1, 3]) }, () => pick(texts))
    }
    yield row
  }
}
