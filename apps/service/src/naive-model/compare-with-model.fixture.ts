// What the service says at the end of a sequence, of the problem and of every decision, against the naive model.

import type { DecisionExplained } from '@primo/contract'
import { expect } from 'vitest'
import type { Running } from '../running.fixture.js'
import type { ModelRound, NaiveModel } from './naive-model.fixture.js'

/** What every replica says of the problem, and of the decisions one replica each. */
export async function compare(replicas: readonly Running[], name: string, model: NaiveModel): Promise<void> {
  for (const replica of replicas) await compareProblem(replica, name, model)
  for (const [k, round] of model.rounds.entries()) await compareRound(replicas[k % replicas.length]!, name, round)
}

async function compareProblem({ summary, call }: Running, name: string, model: NaiveModel): Promise<void> {
  const got = await summary(name)
  const { reasons, asked, answered, observed, missing, revealed, policyVersion, learntVersion, epoch, ...told } =
    model.summary()
  expect(rounded(got), name).toMatchObject(
    rounded({
      ...told,
      covariates: { z: { observed, missing, revealed, reasons, audit: { asked, answered } } },
      learning: { policyVersion, learntVersion, epoch, fitting: false, failures: 0, lastFailure: null },
    }),
  )
  const rows = (await call('GET', `/v1/problems/${name}/log`)).text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  // An absent column is null.
  const expectedRows = model.log()
  const picked = rows.map((row) =>
    Object.fromEntries(Object.keys(expectedRows[0]!).map((key) => [key, row[key] ?? null])),
  )
  expect(picked, name).toEqual(expectedRows)
}

async function compareRound({ call }: Running, name: string, round: ModelRound): Promise<void> {
  const explained = (await call<DecisionExplained>('GET', `/v1/problems/${name}/decisions/${round.id}`)).body
  expect(explained, name).toMatchObject({
    decisionId: round.id,
    round: round.number,
    problemVersion: round.version,
    status: round.state,
    reward: round.final,
    revealed: round.revealed === null ? {} : { z: round.revealed },
    reply: JSON.parse(round.reply),
  })
  expect(explained.rewards.map(({ value, answer }) => [value, answer])).toEqual(
    round.arrivals.map(({ value, answer }) => [value, answer]),
  )
}

/** Sums are taken in another order here. */
function rounded<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, inner) => (typeof inner === 'number' ? Math.round(inner * 1e6) / 1e6 : inner)),
  )
}
