// Runs are bit-exact, so one short run of the reference policies is enough here; their figures at 2^17 rounds are
// `primo study reference`.

import { expect, it } from 'vitest'
import { reference } from './reference.js'

it('plays the reference policies exactly as before', async () => {
  const { rows } = await reference.run({ scale: 'quick', seed: 1, workers: 1, size: { rounds: 2048, repeats: 1 } })
  expect(rows!.map(({ arm, figures }) => `${arm}: ${figures.regret!.toPrecision(9)}`)).toMatchInlineSnapshot(`
    [
      "uniform: 221.361027",
      "primo, theory gamma: 221.151931",
      "primo-cal, theory gamma: 221.256457",
      "primo: 132.804598",
      "primo-cal: 123.823716",
      "sees all values: 116.111525",
    ]
  `)
})
