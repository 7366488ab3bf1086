// What the outcomes of a world say, over its seeds:
//   best peer   the simple policy with the least mean regret there (a stricter rival than any one of them);
//   ratio       robust's mean regret over the best peer's, standard error from the paired runs;
//   loses       a ratio above 1.05 that is also more than two standard errors above 1;
//   locked in   a run that in its last tenth has more regret than twice the best peer's mean and a tenth of uniform's together,
//               where that peer has learnt (less than a fifth of uniform's);
//   learnable   the best peer has less than half of uniform's regret; elsewhere chance alone makes runs with more than uniform;
//   early       after the first rounds: robust's mean regret over that of the peer with the least then;
//   stuck       of runs without peers: one that in its last tenth has more than half of uniform's regret.

import { pairedRatio, summarise } from '@primo/lab'
import { EARLY, PRODUCTS, type WorldOutcome } from './run-world.js'
import type { World } from './world.js'

export const ALLOWED = 1.05

export interface Ratio {
  readonly ratio: number
  readonly standardError: number
}

export interface WorldResult extends Ratio {
  readonly family: string
  readonly name: string
  readonly rival: string
  readonly robust: readonly number[]
  readonly other: readonly number[]
  readonly uniform: number | null
  readonly learnable: boolean
  readonly worseThanUniform: number
  /** The same of its rival. */
  readonly rivalWorse: number
  readonly lockedIn: number
  /** Null: nothing is missing, or not at random. */
  readonly falseLatches: number | null
  /** Against robust with the world's own products, where it has some. */
  readonly products: Ratio | null
  /** By number of rounds of EARLY that was reached. */
  readonly early: readonly EarlyRatio[]
}

export interface EarlyRatio extends Ratio {
  readonly rounds: number
}

export function loses({ ratio, standardError }: Ratio): boolean {
  return ratio > ALLOWED && ratio - 2 * standardError > 1
}

export function worldResult(world: World, outcomes: readonly WorldOutcome[]): WorldResult {
  const own = outcomes.filter((outcome) => outcome.world === world.name)
  const column = (name: string, what: 'total' | 'late', from = own) => from.map(({ regrets }) => regrets[name]![what])
  const mean = (name: string) => summarise(column(name, 'total')).mean
  const robust = column('robust', 'total')
  const latches = own.filter(({ latched }) => latched).length
  const shared = {
    family: world.family,
    name: world.name,
    robust,
    falseLatches: world.atRandom === true ? latches : null,
  }
  if (world.against !== undefined) {
    const other = column(
      'robust',
      'total',
      outcomes.filter((outcome) => outcome.world === world.against),
    )
    const nothing = {
      uniform: null,
      learnable: true,
      worseThanUniform: 0,
      rivalWorse: 0,
      lockedIn: 0,
      products: null,
      early: [],
    }
    return { ...shared, ...nothing, rival: world.against, other, ...pairedRatio(robust, other) }
  }
  const peers = Object.keys(own[0]!.regrets).filter((name) => !['robust', 'uniform', PRODUCTS].includes(name))
  const rival = peers.reduce((best, name) => (mean(name) < mean(best) ? name : best))
  const uniform = column('uniform', 'total')
  const late = { peer: summarise(column(rival, 'late')).mean, uniform: summarise(column('uniform', 'late')).mean }
  const learnt = late.peer < late.uniform / 5
  const other = column(rival, 'total')
  return {
    ...shared,
    rival,
    other,
    ...pairedRatio(robust, other),
    uniform: summarise(uniform).mean,
    learnable: summarise(other).mean < summarise(uniform).mean / 2,
    worseThanUniform: above(robust, uniform),
    rivalWorse: above(other, uniform),
    lockedIn: column('robust', 'late').filter((value) => learnt && value > 2 * late.peer + late.uniform / 10).length,
    products: PRODUCTS in own[0]!.regrets ? pairedRatio(robust, column(PRODUCTS, 'total')) : null,
    early: earlyRatios(own, peers),
  }
}

function earlyRatios(own: readonly WorldOutcome[], peers: readonly string[]): readonly EarlyRatio[] {
  const reached = own[0]!.regrets.robust!.early.length
  return EARLY.slice(0, reached).map((rounds, mark) => {
    const column = (name: string) => own.map(({ regrets }) => regrets[name]!.early[mark]!)
    const mean = (name: string) => summarise(column(name)).mean
    const best = peers.reduce((one, name) => (mean(name) < mean(one) ? name : one))
    return { rounds, ...pairedRatio(column('robust'), column(best)) }
  })
}

/** Runs that are stuck, of all that were made without peers. */
export function stuckRuns(
  world: World,
  outcomes: readonly WorldOutcome[],
): { readonly stuck: number; readonly runs: number } {
  const own = outcomes.filter((outcome) => outcome.world === world.name)
  const stuck = own.filter(({ regrets: { robust, uniform } }) => robust!.late > uniform!.late / 2)
  return { stuck: stuck.length, runs: own.length }
}

function above(values: readonly number[], limits: readonly number[]): number {
  return values.filter((value, i) => value > limits[i]!).length
}
