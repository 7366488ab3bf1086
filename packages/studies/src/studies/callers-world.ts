// Callers that decide in their own process: each keeps a policy until it next asks for one, and sends what it decided
// when it next uploads. A caller that restarts between the two loses it: without a spool on disk. Time is counted in
// rounds of all callers.

import type { WorldBlock } from '@primo/lab'
import { Random } from '@primo/numeric'

export interface CallersSpec {
  readonly callers: number
  /** Rounds between two looks of a caller for a newer policy: at most so old is what it decides with. */
  readonly policyAge: number
  /** Rounds between two uploads of a caller. */
  readonly uploadEvery: number
  /** Rounds between two restarts of a caller, on average, which lose what was not uploaded; absent: none. */
  readonly restartEvery?: number
}

export interface Callers {
  readonly keeps: (round: number, newest: number) => number
  /** The world with the delay of every record. */
  readonly world: (blocks: Iterable<WorldBlock>) => Iterable<WorldBlock>
  /** Rounds that were lost so far. */
  readonly lost: () => number
}

/** A delay that no horizon reaches. */
const NEVER = 0xffffffff

export function callersOf(spec: CallersSpec, seed: number): Callers {
  const root = Random.fromSeed(seed).split('callers')
  const draws = root.split('who')
  const phase = root.split('phase')
  const looks = Float64Array.from({ length: spec.callers }, () => phase.uniform() * spec.policyAge)
  const uploads = Float64Array.from({ length: spec.callers }, () => phase.uniform() * spec.uploadEvery)
  const { restartEvery = Number.POSITIVE_INFINITY } = spec
  const restarting = root.split('restarts')
  const restarts = Float64Array.from({ length: spec.callers }, () => wait(restarting, restartEvery))
  const who: number[] = []
  /** The round in which each policy was first there. */
  const since = [0]
  let lost = 0

  const callerOf = (round: number): number => {
    while (who.length <= round) who.push(Math.floor(draws.uniform() * spec.callers))
    return who[round]!
  }

  /** The last or the next of times that come every so many rounds. */
  const lastOf = (round: number, from: number, every: number) =>
    every === 0 ? round : from + Math.floor((round - from) / every) * every

  return {
    keeps: (round, newest) => {
      while (since.length <= newest) since.push(round)
      const looked = lastOf(round, looks[callerOf(round)]!, spec.policyAge)
      let kept = newest
      while (kept > 0 && since[kept]! > looked) kept--
      return kept
    },
    world: function* (blocks) {
      let round = 0
      for (const block of blocks) {
        const delay = new Uint32Array(block.count)
        for (let row = 0; row < block.count; row++, round++) {
          const caller = callerOf(round)
          const uploaded = lastOf(round, uploads[caller]!, spec.uploadEvery) + spec.uploadEvery
          while (restarts[caller]! < round) restarts[caller]! += wait(restarting, restartEvery)
          const isLost = restarts[caller]! < uploaded
          if (isLost) lost++
          const more = block.delay?.[row] ?? 0
          delay[row] = isLost ? NEVER : Math.ceil(uploaded - round) + more
        }
        yield { ...block, delay }
      }
    },
    lost: () => lost,
  }
}

/** Exponential with this mean. */
function wait(random: Random, mean: number): number {
  return -mean * Math.log(1 - random.uniform())
}
