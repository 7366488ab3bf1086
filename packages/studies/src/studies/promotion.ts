// primo study promotion: does the gate of candidates stop right? On logs of learning policies, a candidate without
// any gain must be promoted in at most 5% of logs however often one looks, a worse one hardly ever, and a better one
// soon.

import { evaluateAnytime, evaluationLog, gateVerdict, type TargetPolicy } from '@primo/lab'
import { Random } from '@primo/numeric'
import { defineStudy } from '../runner/run-study.js'
import { median } from '../runner/statistics.js'
import { column, figure, table, world } from '../runner/tables.js'
import { percent } from '../runner/verdicts.js'
import { adaptiveHeader, adaptiveLog, loggers } from './adaptive-log-worlds.js'

/** Learns from the same log, at doubling row counts, and plays its best action. */
const LEARNT: TargetPolicy = { kind: 'learnt', name: 'candidate', options: { profile: 'primo' } }
const CHANCE: TargetPolicy = { kind: 'uniform', name: 'candidate' }

const CASES = [
  // All actions pay alike: the candidate learns noise, and its gain is noise.
  { which: 'no gain', kind: 'no difference', candidate: LEARNT, mixed: 0 },
  // Plays by chance where the logger has learnt.
  { which: 'worse', kind: 'contexts matter', candidate: CHANCE, mixed: 0 },
  // The logger plays half of its rounds by chance.
  { which: 'better', kind: 'contexts matter', candidate: LEARNT, mixed: 0.5 },
] as const

export const promotion = defineStudy({
  name: 'promotion',
  title: 'The gate of candidates',
  claim:
    'On logs that a learning policy made, a candidate without gain is promoted ever in at most 5% of logs, a worse one in at most 1%, and one that saves a logger half of its chance play in at least 80% within 2,000 rows.',
  // A rare error needs more logs than power does.
  full: { repeats: 200, repeatsWithoutGain: 1000, rows: 2000 },
  quick: { repeats: 12, repeatsWithoutGain: 12, rows: 2000 },
  worlds: () => CASES.flatMap((one) => loggers.map((logger) => ({ name: `${one.which}, ${logger}`, logger, ...one }))),
  repeats: ({ which }, size) => (which === 'no gain' ? size.repeatsWithoutGain : size.repeats),
  measure: async ({ which, kind, candidate, mixed, logger }, { seed, repeat, size }) => {
    const random = Random.fromSeed(seed - repeat).split('promotion', which, logger, repeat)
    const log = await evaluationLog(adaptiveHeader, adaptiveLog(kind, logger, size.rows, random.split('log'), mixed))
    const { path } = evaluateAnytime(log, { policies: [candidate], against: null, seed: random.integer(2 ** 31) })
    // The first look with a verdict ends it.
    const end = path.find(({ differences }) => gateVerdict(differences[0]!) !== 'wait')
    const verdict = end === undefined ? 'wait' : gateVerdict(end.differences[0]!)
    const promoted = verdict !== 'wait' && verdict !== 'give-up'
    return {
      candidate: {
        promoted: promoted ? 1 : 0,
        'given up': verdict === 'give-up' ? 1 : 0,
        ...(promoted ? { rows: end!.rows } : {}),
      },
    }
  },
  tables: (found) => [
    table(`Candidates on logs of ${found.size.rows} rows: shares of logs, and rows until a promotion`, found.places(), [
      { ...world, header: 'candidate, logger' },
      column('logs', (place) => String(place.values('promoted').length)),
      figure('promoted'),
      figure('given up'),
      column('median rows', (place) =>
        place.values('rows').length === 0 ? '-' : String(median(place.values('rows'))),
      ),
    ]),
  ],
  verdicts: (found) => {
    const { repeatsWithoutGain: logs } = found.size
    // With 1,000 logs the limit is that of the claim; with fewer it gives way by three standard errors.
    const slack = logs >= 1000 ? 0 : 3 * Math.sqrt((0.95 * 0.05) / logs)
    const shares = (which: string) =>
      found.places().flatMap((place) => (place.world.startsWith(which) ? [place.mean('promoted').mean] : []))
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
  },
})
