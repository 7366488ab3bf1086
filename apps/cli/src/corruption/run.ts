// A corruption run: a store with acknowledged decisions is damaged again and again, each time in another way, and asked for what
// it had acknowledged.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random, seedKey } from '@primo/numeric'
import { corrupt, KINDS, type Kind } from './corrupt.js'
import { copyImage, makeImage } from './image.js'
import { type Judgement, judge } from './judge.js'

export interface Corruption extends Judgement {
  readonly kind: Kind
  readonly target: 'file' | 'log'
  readonly what: string
}

export interface CorruptionOptions {
  readonly count: number
  readonly seed: number
  /** Decisions of each of two problems, in the file and as many in the log. */
  readonly decisions: number
  readonly onTrial?: (trial: number, corruption: Corruption) => void
}

export async function runCorruption({
  count,
  seed,
  decisions,
  onTrial,
}: CorruptionOptions): Promise<readonly Corruption[]> {
  const folder = mkdtempSync(join(tmpdir(), 'primo-corruption-'))
  const place = (name: string) => {
    mkdirSync(join(folder, name))
    return join(folder, name)
  }
  try {
    const image = await makeImage(place('running'), place('image'), decisions)
    const corruptions: Corruption[] = []
    for (let trial = 0; trial < count; trial++) {
      const random = new Random(seedKey(seed)).split('corruption', trial)
      const kind = KINDS[trial % KINDS.length]!
      const target = Math.floor(trial / KINDS.length) % 2 === 0 ? 'file' : 'log'
      const own = place(`trial-${trial}`)
      copyImage(image.folder, own)
      const path = join(own, target === 'file' ? 'primo.db' : 'primo.db-wal')
      const what = corrupt(path, kind, target === 'log', random)
      corruptions.push({ kind, target, what, ...(await judge(own, image)) })
      onTrial?.(trial + 1, corruptions.at(-1)!)
      rmSync(own, { recursive: true, force: true })
    }
    return corruptions
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
