// Folds for cross-fitting on a log: what is fitted on the other folds judges the rows of one, so that no row is judged by
// what was learnt from it.

import { modelSdOf, type RoundBlock, RoundStatus, RoundTable, reasonsOf } from '@primo/core/engine'
import { BLOCK_ROUNDS, type Random } from '@primo/numeric'

/** The fold of every row, of equal size up to one row. */
export function randomFolds(rows: number, count: number, random: Random): Uint8Array {
  const of = new Uint8Array(rows)
  random.permutation(rows).forEach((row, k) => {
    of[row] = k % count
  })
  return of
}

/** A copy of some rounds, in their order. */
export function subsetOf(rounds: RoundTable, keep: (round: number) => boolean): RoundTable {
  const out = new RoundTable(rounds.shape)
  for (let round = 0; round < rounds.count; round++) {
    if (!keep(round)) continue
    const to = out.append()
    copyRound(rounds.block(round), round % BLOCK_ROUNDS, out.block(to), to % BLOCK_ROUNDS, rounds)
    if (out.block(to).status[to % BLOCK_ROUNDS] === RoundStatus.closed) out.close(to)
  }
  return out
}

export function copyRound(
  from: RoundBlock,
  row: number,
  to: RoundBlock,
  at: number,
  { shape }: Pick<RoundTable, 'shape'>,
): void {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = shape
  for (let k = 0; k < p; k++) to.context[at * p + k] = from.context[row * p + k]!
  for (let k = 0; k < m; k++) {
    to.covariates[at * m + k] = from.covariates[row * m + k]!
    to.pretrained[at * m + k] = from.pretrained[row * m + k]!
  }
  for (let k = 0; k < c; k++) to.observed[at * c + k] = from.observed[row * c + k]!
  to.action[at] = from.action[row]!
  to.propensity[at] = from.propensity[row]!
  to.reward[at] = from.reward[row]!
  to.arrivals[at] = from.arrivals[row]!
  to.status[at] = from.status[row]!
  if (from.modelSd !== null) modelSdOf(to, shape).set(from.modelSd.subarray(row * c, (row + 1) * c), at * c)
  if (from.reasons !== null) reasonsOf(to, shape).set(from.reasons.subarray(row * c, (row + 1) * c), at * c)
  if (from.revealed === null) return
  to.revealed ??= new Float64Array(BLOCK_ROUNDS * m)
  for (let k = 0; k < m; k++) to.revealed[at * m + k] = from.revealed[row * m + k]!
}
