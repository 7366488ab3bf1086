// Regret of the robust profile, of LinUCB with an interacted indicator, and of robust with an audit of 2%, on the same rounds: where values are hidden by what they are and no
// audit tells, and where they are missing at random.

import { createEnvironment, pairedRatio, runPolicy, scenarioFromName, summarise, worldOf } from '@primo/lab'
import type { StudyOptions, StudyTable } from '@primo/lab/node'
import { audited } from './audit.js'
import { linUcbWithIndicator } from './linucb-with-indicator.js'

const WORLDS = [
  { name: 'MNAR+4' },
  { name: 'MNAR-4' },
  { name: 'dosing?mnarStrength=4' },
  { name: 'A' },
  { name: 'B' },
  { name: 'dosing' },
] as const

const WITHOUT = 'robust'
const AUDITED = 'robust, 2% audit'
const LINUCB = 'LinUCB with indicator'
const POLICIES = [WITHOUT, LINUCB, AUDITED] as const
type PolicyName = (typeof POLICIES)[number]

interface Runs {
  readonly regret: number[]
  readonly excess: number[]
}

export async function boundsRegret(options: StudyOptions): Promise<{ readonly table: StudyTable }> {
  const full = options.scale === 'full'
  const rounds = full ? 2 ** 14 : 2 ** 11
  const seeds = full ? 6 : 2
  const rows: string[][] = []
  let done = 0
  for (const { name } of WORLDS) {
    const environment = createEnvironment(scenarioFromName(name))
    const runs = new Map<PolicyName, Runs>(POLICIES.map((policy) => [policy, { regret: [], excess: [] }]))
    for (let seed = options.seed; seed < options.seed + seeds; seed++) {
      const world = [...worldOf(environment, seed, rounds)]
      for (const policy of POLICIES) {
        const problem = policy === AUDITED ? audited(environment.problem, 0.02) : environment.problem
        const spec =
          policy === LINUCB
            ? linUcbWithIndicator(environment.interactions)
            : {
                name: policy,
                kind: 'engine' as const,
                sees: 'world' as const,
                options: { profile: 'robust' as const },
              }
        const { regret, floor } = runPolicy({ spec, problem, world, seed })
        runs.get(policy)!.regret.push(regret!)
        runs.get(policy)!.excess.push(regret! - floor!)
        options.onProgress?.(++done / (WORLDS.length * seeds * POLICIES.length))
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    for (const [policy, { regret, excess }] of runs) {
      const ratio = pairedRatio(regret, runs.get(WITHOUT)!.regret)
      rows.push([
        name,
        policy,
        ...[regret, excess].flatMap((values) => [
          summarise(values).mean.toFixed(1),
          summarise(values).standardError.toFixed(1),
        ]),
        policy === WITHOUT ? '' : `${ratio.ratio.toFixed(3)} ± ${ratio.standardError.toFixed(3)}`,
      ])
    }
  }
  return {
    table: {
      title: `Regret, ${rounds.toLocaleString('en')} rounds, ${seeds} seeds`,
      header: ['world', 'policy', 'regret', 'se', 'excess', 'se', 'regret against robust'],
      rows,
    },
  }
}
