// Policies replayed on a classification table, several orders of its rows: the reward of an action is 1 if it is the right class, so the
// expected share of right choices is 1 - regret/rounds: `all` over all rounds, `last` over the last quarter, `part 1` to `part 16`.

import type { EngineOptions } from '@primo/core/engine'
import type { PolicySpec, Sees } from '@primo/lab'
import { policyByName, runPolicy, summarise } from '@primo/lab'
import type { StudyPlot, StudyTable, Table, TableSpec, Verdict } from '@primo/lab/node'
import { tableWorld } from '@primo/lab/node'
import type { Found, Place } from '../runner/found.js'
import { bandPoints } from '../runner/plots.js'
import { paired } from '../runner/statistics.js'
import type { Cell, Figures, Size, World } from '../runner/study-spec.js'
import { arm, column, table } from '../runner/tables.js'
import { percent } from '../runner/verdicts.js'

export interface ReplayPolicy {
  /** As tables and plots call it. */
  readonly name: string
  /** A name of the catalogue, or how the engine is set up and what it sees. */
  readonly policy: string | { readonly options: EngineOptions; readonly sees: Sees }
  /** Column of the prediction that it imputes with; absent: none. */
  readonly prediction?: string
}

/** A table in the order of a seed; rewards are 0 and 1. */
export interface ReplayTable {
  readonly table: Table
  readonly spec: TableSpec
}

export const PARTS = 16

export function replay(policies: readonly ReplayPolicy[], { table: rows, spec }: ReplayTable, seed: number): Cell {
  const cells = policies.map(({ name, policy, prediction }): [string, Figures] => {
    const own: TableSpec = { ...spec, ...(prediction === undefined ? {} : { prediction }) }
    const world = tableWorld(rows, { ...own, means: spec.rewards! })
    const every = Math.floor(world.rounds / PARTS)
    const { checkpoints } = runPolicy({
      spec: policySpec(policy, spec),
      problem: world.problem,
      world: world.blocks,
      seed,
      every,
    })
    const regretAt = new Map([[0, 0], ...checkpoints.map((point) => [point.rounds, point.regret] as const)])
    const share = (from: number, to: number) => 1 - (regretAt.get(to)! - regretAt.get(from)!) / (to - from)
    const parts = Array.from({ length: PARTS }, (_, k) => [`part ${k + 1}`, share(k * every, (k + 1) * every)])
    const figures = { all: share(0, world.rounds), last: share((3 * PARTS * every) / 4, world.rounds) }
    return [name, { ...figures, ...Object.fromEntries(parts) }]
  })
  return Object.fromEntries(cells)
}

function policySpec(
  name: ReplayPolicy['policy'],
  { covariate, rewards, interactions = 'none' }: TableSpec,
): PolicySpec {
  if (typeof name !== 'string') return { name: 'engine', kind: 'engine', ...name }
  const products = typeof interactions === 'string' ? [] : interactions
  return policyByName(name, { actions: rewards!.length, covariates: [covariate], interactions: products })
}

type Replays<W extends World, S extends Size> = Found<W, S>

/** '64.3% ± 0.2%'. */
function shareText(values: readonly number[]): string {
  const { mean, standardError, count } = summarise(values)
  return count > 1 ? `${percent(mean, 2)} ± ${percent(standardError, 2)}` : percent(mean, 2)
}

function gain(place: Place, figure: string, other: string): readonly number[] {
  return paired([place.values(figure), place.values(figure, other)], (a, b) => a - b)
}

/** Shares of right choices, and the difference of each from `other`, over the same orders. */
export function replayTable<W extends World, S extends Size>(
  title: string,
  found: Replays<W, S>,
  other: string,
): StudyTable {
  const less = (figure: string) => (place: Place) => (place.arm === other ? '-' : shareText(gain(place, figure, other)))
  return table(title, found.places(), [
    arm,
    column('all rounds', (place) => shareText(place.values('all'))),
    column('last quarter', (place) => shareText(place.values('last'))),
    column(`less ${other}, all`, less('all')),
    column(`less ${other}, last quarter`, less('last')),
  ])
}

export function replayPlot<W extends World, S extends Size>(
  title: string,
  found: Replays<W, S>,
  names: readonly string[],
): StudyPlot {
  const x = Array.from({ length: PARTS }, (_, k) => k + 1)
  return {
    title,
    xLabel: 'sixteenths of the decisions',
    yLabel: 'share right',
    close: true,
    series: found.places(names).map((place) => ({
      name: place.arm,
      points: bandPoints(
        x,
        x.map((part) => place.mean(`part ${part}`)),
      ),
    })),
  }
}

/** In the last quarter, by an interval above zero. */
export function rightMoreOften(place: Place, other: string): Verdict {
  const gains = gain(place, 'last', other)
  const { mean, standardError } = summarise(gains)
  return {
    held: mean - 1.96 * standardError > 0,
    sentence: `In the last quarter ${place.arm} is right more often than ${other}: by ${shareText(gains)}.`,
  }
}
