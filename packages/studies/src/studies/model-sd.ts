// primo study model-sd: a model that says how sure it is, in a world where that matters. How far z lies from its prediction differs
// from round to round and only the model knows; the reward bends in z, so the best action depends on it. Regret with the model's
// standard deviation used against not used, on the same rounds: where it is right, where it is off by a factor, where it is noise,
// and right in a world whose residuals all have the same size or whose reward is linear in z (then it must change nothing).

import type { Problem } from '@primo/core'
import type { WorldBlock } from '@primo/lab'
import { runPolicy, studyDotPlot, summarise } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { BLOCK_ROUNDS, Random } from '@primo/numeric'
import { effectText, type PairedEffect, pairedEffect, shareText } from './paired-effect.js'

/** What the model says of its spread, the spreads of the residual (each in half of the rounds), and whether the reward bends in z. */
const CASES = [
  { name: 'right', says: 'truth', factor: 1, spreads: [0.05, 0.4], bends: true, expected: 'helps' },
  { name: 'three times too large', says: 'truth', factor: 3, spreads: [0.05, 0.4], bends: true, expected: 'helps' },
  { name: 'five times too small', says: 'truth', factor: 0.2, spreads: [0.05, 0.4], bends: true, expected: 'helps' },
  { name: 'noise', says: 'noise', factor: 1, spreads: [0.05, 0.4], bends: true, expected: 'harmless' },
  { name: 'noise, one spread', says: 'noise', factor: 1, spreads: [0.28, 0.28], bends: true, expected: 'harmless' },
  { name: 'right, linear reward', says: 'truth', factor: 1, spreads: [0.05, 0.4], bends: false, expected: 'nothing' },
] as const

export type SdCase = (typeof CASES)[number]

/** The most regret, as a share, that a standard deviation that says nothing may cost. */
const ALLOWED = 0.01

const PROBLEM: Problem = {
  context: { x1: { type: 'number', min: -1, max: 1 }, x2: { type: 'number', min: -1, max: 1 } },
  covariates: { z: { type: 'number', min: -1, max: 1, imputer: { kind: 'column' } } },
  actions: ['still', 'wide', 'narrow'],
  reward: { min: -0.3, max: 1.3, mean: { min: 0, max: 1 } },
}
const OBSERVED_SHARE = 0.4
const REWARD_NOISE = 0.15

export async function runModelSd(
  options: StudyOptions,
  { rounds, seeds }: { readonly rounds: number; readonly seeds: number },
): Promise<StudyResult> {
  const effects: { case: SdCase; effect: PairedEffect; differences: readonly number[] }[] = []
  const table: string[][] = []
  let done = 0
  for (const one of CASES) {
    const used: number[] = []
    const ignored: number[] = []
    for (let seed = options.seed; seed < options.seed + seeds; seed++) {
      const world = worldOf(one, seed, rounds)
      used.push(regretOf(one, world, seed, 'model'))
      ignored.push(regretOf(one, world, seed, 'constant'))
      options.onProgress?.(++done / (CASES.length * seeds))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const effect = pairedEffect(used, ignored)
    effects.push({ case: one, effect, differences: ignored.map((value, i) => value - used[i]!) })
    table.push([one.name, level(ignored), level(used), effectText(effect), shareText(effect)])
  }
  return {
    settings: { rounds, seeds, 'first seed': options.seed, scale: options.scale },
    tables: [
      {
        title: `Regret, ${rounds.toLocaleString('en')} rounds, ${seeds} seeds`,
        header: ["the model's sd", 'not used (se)', 'used (se)', 'used minus not used [95%]', 'share'],
        rows: table,
      },
    ],
    plots: [
      studyDotPlot({
        title: "What the model's own standard deviation is worth",
        subtitle: `Regret without it minus regret with it on the same rounds; ${rounds.toLocaleString('en')} rounds, ${seeds} seeds, mean and 95% interval`,
        xLabel: 'what the model says of its spread',
        less: 'costs',
        more: 'saves',
        rows: effects.map(({ case: { name }, differences }) => ({
          name,
          seeds: differences,
          color: summarise(differences).mean >= 0 ? 'navy' : 'red',
        })),
      }),
    ],
    verdicts: effects.map((one) => sdVerdict(one.case, one.effect)),
  }
}

function regretOf(one: SdCase, world: readonly WorldBlock[], seed: number, residuals: 'model' | 'constant'): number {
  // Products by hand: where evidence chose a square by chance, the reward model would bend.
  const oracle = { interactions: one.bends ? [['z', 'z']] : [] }
  const calibration = { residuals }
  const spec = {
    name: 'robust',
    kind: 'engine',
    sees: 'world',
    options: { profile: 'robust', oracle, calibration },
  } as const
  return runPolicy({ spec, problem: PROBLEM, world, seed }).regret!
}

/** Rounds in inside units, which are the problem's own here. */
function worldOf(one: SdCase, seed: number, rounds: number): WorldBlock[] {
  const random = Random.fromSeed(seed).split('model-sd')
  const blocks: WorldBlock[] = []
  for (let first = 0; first < rounds; first += BLOCK_ROUNDS) {
    const count = Math.min(BLOCK_ROUNDS, rounds - first)
    const block = {
      count,
      context: new Float64Array(2 * count),
      truth: new Float64Array(count),
      observed: new Uint8Array(count),
      pretrained: new Float64Array(count),
      modelSd: new Float64Array(count),
      means: new Float64Array(3 * count),
      rewards: new Float64Array(3 * count),
      floor: null,
      delay: null,
    }
    for (let row = 0; row < count; row++) {
      const [x1, x2] = [2 * random.uniform() - 1, 2 * random.uniform() - 1]
      block.context.set([x1, x2], 2 * row)
      const spread = one.spreads[random.uniform() < 0.5 ? 0 : 1]
      const g = 0.25 * x1
      // A uniform residual with this standard deviation.
      const z = g + spread * Math.sqrt(3) * (2 * random.uniform() - 1)
      const noise = 0.05 * 8 ** random.uniform()
      block.truth[row] = z
      block.pretrained[row] = g + 0.1
      block.modelSd[row] = one.factor * (one.says === 'truth' ? spread : noise)
      block.observed[row] = random.uniform() < OBSERVED_SHARE ? 1 : 0
      const bent = one.bends ? [0.3 + 2 * z * z, 0.5 + 0.15 * x2 - z * z] : [0.5 + 0.4 * z, 0.5 + 0.2 * x2]
      const means = [0.42, ...bent]
      means.forEach((mean, a) => {
        const kept = Math.min(1, Math.max(0, mean))
        block.means[3 * row + a] = kept
        block.rewards[3 * row + a] = kept + REWARD_NOISE * Math.sqrt(3) * (2 * random.uniform() - 1)
      })
    }
    blocks.push(block)
  }
  return blocks
}

function level(values: readonly number[]): string {
  const { mean, standardError } = summarise(values)
  return `${mean.toFixed(1)} (${standardError.toFixed(1)})`
}

export function sdVerdict({ name, expected }: SdCase, effect: PairedEffect): Verdict {
  const measured = `${effectText(effect)}, ${shareText(effect)}`
  if (expected === 'helps')
    return {
      held: effect.high < 0,
      sentence: `${name}: using it changes regret by ${measured} (claim: less regret, interval below 0).`,
    }
  if (expected === 'nothing')
    return {
      held: effect.mean === 0 && effect.low === 0 && effect.high === 0,
      sentence: `${name}: using it changes regret by ${measured} (claim: exactly nothing).`,
    }
  return {
    held: effect.share <= ALLOWED,
    sentence: `${name}: using it changes regret by ${measured} (claim: at most +${100 * ALLOWED}%).`,
  }
}

export const modelSd: Study = {
  name: 'model-sd',
  title: 'A model that says how sure it is',
  claim:
    'Where residuals differ in size and rewards bend in z, a standard deviation from the model lowers regret even if it is off by a factor, and one that says nothing does no harm.',
  run: (options) =>
    runModelSd(options, options.scale === 'full' ? { rounds: 2 ** 14, seeds: 20 } : { rounds: 2 ** 11, seeds: 4 }),
}
