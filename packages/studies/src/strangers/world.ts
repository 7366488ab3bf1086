// A stranger: a world that the default was not designed on. Its rounds are drawn one by one, in inside units for what
// a policy sees and in the reward's units for means and rewards; the parameters of a world are a function of the
// seed.

import type { Problem } from '@primo/core'
import { encodingOf } from '@primo/core/engine'
import type { Environment } from '@primo/lab'
import { Random } from '@primo/numeric'

/** One round; the same object for every round of a block. */
export interface Round {
  readonly x: Float64Array
  readonly z: Float64Array
  /** Per covariate: 1 where it is shown. */
  readonly seen: Uint8Array
  readonly prediction: Float64Array
  readonly means: Float64Array
  readonly rewards: Float64Array
  /** Later rounds that are decided before the reward arrives. */
  delay: number
}

export type DrawRound = (random: Random, round: number, out: Round) => void

export interface Stranger {
  readonly family: string
  readonly name: string
  /** Most have parameters of their own for each seed of a block; the lab's are made anew. */
  readonly environment: (seed: number, rounds: number) => Environment
  /** Share of the study's rounds; default 1. */
  readonly share?: number
  /** Compared with the same policy in that world, not with peers: only the declared ranges differ. */
  readonly against?: string
}

export function drawnEnvironment(
  name: string,
  problem: Problem,
  bind: (parameters: Random) => DrawRound,
  late = false,
): Environment {
  const { contextWidth, covariateWidth, covariates } = encodingOf(problem)
  const actions = problem.actions.length
  const { min, max } = problem.reward.mean ?? problem.reward
  return {
    name,
    problem,
    interactions: [],
    block: (seed, index, count) => {
      const root = Random.fromSeed(seed)
      const draw = bind(root.split('parameters'))
      const random = root.split('world', index)
      const block = {
        count,
        context: new Float64Array(count * contextWidth),
        truth: new Float64Array(count * covariateWidth),
        observed: new Uint8Array(count * covariates.length),
        pretrained: new Float64Array(count * covariateWidth),
        means: new Float64Array(count * actions),
        rewards: new Float64Array(count * actions),
        floor: null,
        delay: late ? new Uint32Array(count) : null,
      }
      for (let at = 0; at < count; at++) {
        const out: Round = {
          x: rowOf(block.context, at, contextWidth),
          z: rowOf(block.truth, at, covariateWidth),
          seen: block.observed.subarray(at * covariates.length, (at + 1) * covariates.length),
          prediction: rowOf(block.pretrained, at, covariateWidth),
          means: rowOf(block.means, at, actions),
          rewards: rowOf(block.rewards, at, actions),
          delay: 0,
        }
        draw(random, index * BLOCK + at, out)
        for (let a = 0; a < actions; a++) {
          out.means[a] = (out.means[a]! - min) / (max - min)
          out.rewards[a] = (out.rewards[a]! - min) / (max - min)
        }
        if (block.delay !== null) block.delay[at] = out.delay
      }
      return block
    },
  }
}

const BLOCK = 4096

function rowOf(columns: Float64Array, row: number, width: number): Float64Array {
  return columns.subarray(row * width, (row + 1) * width)
}
