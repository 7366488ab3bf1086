// The rows of a batch, table by table, with their columns.

import { problemChecksum } from '../../ledger/checksums.js'
import type { Changes, RoundRow } from '../../ledger/facts.js'
import type { Column } from './binary.js'
import { changedRows, newRows, type Part } from './parts.js'

export function partsOf({
  log,
  newRounds,
  changedRounds,
  roundProblem,
  rewards,
  reveals,
  snapshots,
}: Changes): readonly Part[] {
  const problemOfRound: Column<RoundRow> = ['problem', 'int', (round) => roundProblem.get(round)!]
  return [
    newRows('log', log, [
      ['problem', 'int', ({ problem }) => problem],
      ['seq', 'bigint', ({ seq }) => seq],
      ['time', 'bigint', ({ time }) => time],
      ['kind', 'text', ({ kind }) => kind],
      ['round', 'bigint', ({ round }) => round],
      ['body', 'text', ({ body }) => body],
      ['checksum', 'int', ({ checksum }) => checksum],
    ]),
    newRows('rounds', newRounds, [
      problemOfRound,
      ['id', 'text', ({ id }) => id],
      ['event_id', 'text', ({ eventId }) => eventId],
      ['round', 'bigint', ({ round }) => round],
      ['version', 'int', ({ version }) => version],
      ['seq', 'bigint', ({ seq }) => seq],
      ['action', 'text', ({ action }) => action],
      ['holdout', 'boolean', ({ holdout }) => holdout],
      ['state', 'text', ({ state }) => state],
      ['arrivals', 'int', ({ arrivals }) => arrivals],
      ['value', 'double precision', ({ value }) => value],
      ['deadline', 'bigint', ({ deadline }) => deadline],
      ['checksum', 'int', ({ checksum }) => checksum],
    ]),
    changedRows('rounds', [...changedRounds], 2, [
      problemOfRound,
      ['id', 'text', ({ id }) => id],
      ['state', 'text', ({ state }) => state],
      ['arrivals', 'int', ({ arrivals }) => arrivals],
      ['value', 'double precision', ({ value }) => value],
      ['deadline', 'bigint', ({ deadline }) => deadline],
      ['checksum', 'int', ({ checksum }) => checksum],
    ]),
    newRows('rewards', rewards, [
      ['problem', 'int', ({ problem }) => problem],
      ['decision', 'text', ({ decision }) => decision],
      ['reward_id', 'text', ({ rewardId }) => rewardId],
      ['value', 'double precision', ({ value }) => value],
      ['checksum', 'int', ({ checksum }) => checksum],
    ]),
    newRows('reveals', reveals, [
      ['problem', 'int', ({ problem }) => problem],
      ['decision', 'text', ({ decision }) => decision],
      ['covariate', 'text', ({ covariate }) => covariate],
      ['value', 'text', ({ value }) => JSON.stringify(value)],
      ['checksum', 'int', ({ checksum }) => checksum],
    ]),
    newRows('snapshots', snapshots, [
      ['problem', 'int', ({ problem }) => problem],
      ['problem_version', 'int', ({ problemVersion }) => problemVersion],
      ['version', 'int', ({ version }) => version],
      ['epoch', 'int', ({ epoch }) => epoch],
      ['cut', 'bigint', ({ cut }) => cut],
      ['time', 'bigint', ({ time }) => time],
      ['state', 'text', ({ state }) => state],
      ['report', 'text', ({ report }) => report],
      ['software', 'text', ({ software }) => software],
      ['state_checksum', 'int', ({ stateChecksum }) => stateChecksum],
      ['checksum', 'int', ({ checksum }) => checksum],
    ]),
  ]
}

/** Rows of problems come last, with the sums of all their others. */
export function problemsPart({ problems }: Changes): Part {
  const rows = [...problems.values()].map((row) => {
    const texts = {
      definition: JSON.stringify(row.definition),
      book: JSON.stringify(row.book),
      sums: JSON.stringify(row.sums),
    }
    row.checksum = problemChecksum({ ...row, ...texts })
    return { ...row, ...texts }
  })
  return changedRows('problems', rows, 1, [
    ['id', 'int', ({ id }) => id],
    ['definition', 'text', ({ definition }) => definition],
    ['version', 'int', ({ version }) => version],
    ['revision', 'int', ({ revision }) => revision],
    ['seed', 'bigint', ({ seed }) => seed],
    ['retired', 'bigint', ({ retired }) => retired],
    ['book', 'text', ({ book }) => book],
    ['sums', 'text', ({ sums }) => sums],
    ['checksum', 'int', ({ checksum }) => checksum],
  ])
}
