// Does the gate of candidates stop right? On logs of learning policies, a candidate without any gain must be promoted in at most 5% of logs
// however often one looks, one that is worse in none to speak of, and one that is better soon.

import {
  type EvaluationInterval,
  evaluateAnytime,
  evaluationLog,
  formatFixed,
  gateVerdict,
  type TargetPolicy,
} from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { type AdaptiveWorld, adaptiveHeader, adaptiveLog, type Logger, loggers } from './adaptive-log-worlds.js'

/** Learns from the same log, at doubling row counts, and plays its best action. */
const LEARNT: TargetPolicy = { kind: 'learnt', name: 'candidate', options: { profile: 'primo' } }
const CHANCE: TargetPolicy = { kind: 'uniform', name: 'candidate' }

const cases = {
  // All actions pay alike: what the candidate learns is noise, and so is its gain.
  'no gain': { world: 'no difference', candidate: LEARNT, mixed: 0 },
  // Playing by chance where the logger has learnt.
  worse: { world: 'contexts matter', candidate: CHANCE, mixed: 0 },
  // The logger plays half of its rounds by chance.
  better: { world: 'contexts matter', candidate: LEARNT, mixed: 0.5 },
} as const satisfies Record<string, { world: AdaptiveWorld; candidate: TargetPolicy; mixed: number }>
type Case = keyof typeof cases

interface Cell {
  readonly which: Case
  readonly logger: Logger
  readonly logs: number
  promoted: number
  givenUp: number
  /** Rows after which it was promoted. */
  readonly after: number[]
}

async function run({ scale, seed, onProgress }: StudyOptions): Promise<StudyResult> {
  const rows = 2000
  // A rare error needs more logs than power does.
  const logs = (which: Case) => (scale === 'quick' ? 12 : which === 'no gain' ? 1000 : 200)
  const cells: Cell[] = (Object.keys(cases) as Case[]).flatMap((which) =>
    loggers.map((logger) => ({ which, logger, logs: logs(which), promoted: 0, givenUp: 0, after: [] })),
  )
  for (const [at, cell] of cells.entries()) {
    for (let k = 0; k < cell.logs; k++) {
      await countLog(cell, rows, Random.fromSeed(seed).split('promotion', cell.which, cell.logger, k))
      if (k % 10 !== 9) continue
      onProgress?.((at + (k + 1) / cell.logs) / cells.length)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const share = (count: number, of: number) => formatFixed(count / of, 3)
  return {
    settings: { scale, rows, seed },
    tables: [
      {
        title: `Candidates on logs of ${rows} rows: shares of logs, and rows until a promotion`,
        header: ['candidate', 'logger', 'logs', 'promoted', 'standard error', 'given up', 'median rows'],
        rows: cells.map(({ which, logger, logs: of, promoted, givenUp, after }) => [
          which,
          logger,
          String(of),
          share(promoted, of),
          formatFixed(Math.sqrt(((promoted / of) * (1 - promoted / of)) / of), 3),
          share(givenUp, of),
          after.length === 0 ? '-' : String(median(after)),
        ]),
      },
    ],
    plots: [],
    verdicts: verdicts(cells),
  }
}

async function countLog(cell: Cell, rows: number, random: Random): Promise<void> {
  const { world, candidate, mixed } = cases[cell.which]
  const log = await evaluationLog(adaptiveHeader, adaptiveLog(world, cell.logger, rows, random.split('log'), mixed))
  const { path } = evaluateAnytime(log, { policies: [candidate], against: null, seed: random.integer(2 ** 31) })
  // The first look that says something ends it.
  const said = path.find(({ differences }) => gateVerdict(differences[0] as EvaluationInterval) !== 'wait')
  if (said === undefined) return
  if (gateVerdict(said.differences[0]!) === 'give-up') cell.givenUp++
  else {
    cell.promoted++
    cell.after.push(said.rows)
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

function verdicts(cells: readonly Cell[]): readonly Verdict[] {
  // With 1,000 logs the limit is that of the claim; with fewer it gives way by three standard errors.
  const slack = cells[0]!.logs >= 1000 ? 0 : 3 * Math.sqrt((0.95 * 0.05) / cells[0]!.logs)
  const shares = (which: Case) => cells.filter((cell) => cell.which === which).map((cell) => cell.promoted / cell.logs)
  const percent = (value: number) => `${formatFixed(100 * value, 1)}%`
  const [none, worse] = [Math.max(...shares('no gain')), Math.max(...shares('worse'))]
  const better = Math.min(...shares('better'))
  return [
    {
      held: none <= 0.05 + slack,
      sentence: `A candidate without gain is promoted in at most ${percent(none)} of logs (5%).`,
    },
    { held: worse <= 0.01, sentence: `A worse candidate is promoted in at most ${percent(worse)} of logs (1%).` },
    { held: better >= 0.8, sentence: `A better candidate is promoted in at least ${percent(better)} of logs (80%).` },
  ]
}

export const promotion: Study = {
  name: 'promotion',
  title: 'The gate of candidates',
  claim:
    'On logs that a learning policy made, a candidate without gain is promoted ever in at most 5% of logs, a worse one in at most 1%, and one that saves a logger half of its chance play in at least 80% within 2,000 rows.',
  run,
}
