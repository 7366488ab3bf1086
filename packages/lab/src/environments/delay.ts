// Rewards that arrive late: after a fixed number of later rounds, or after a geometric number with the given mean m,
//   P(delay >= k) = (m / (m + 1))^k.

import { Random } from '@primo/numeric'

/** When rewards arrive: after so many later rounds, or after a geometric number of them with this mean. */
export type DelaySpec = { readonly rounds: number } | { readonly mean: number }

export function delaySource(spec: DelaySpec): (seed: number, index: number, count: number) => Uint32Array {
  if ('rounds' in spec) return (_seed, _index, count) => new Uint32Array(count).fill(spec.rounds)
  // Infinite at mean 0: the quotient below is then 0.
  const rate = Math.log1p(1 / spec.mean)
  return (seed, index, count) => {
    const random = Random.fromSeed(seed).split('world', index, 'delay')
    return Uint32Array.from({ length: count }, () => Math.floor(-Math.log1p(-random.uniform()) / rate))
  }
}
