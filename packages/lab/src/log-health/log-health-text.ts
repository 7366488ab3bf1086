// The health of a log in sentences, the worst first.

import type { LogHealth } from './examine-log.js'
import { count } from './log-finding.js'

const STATES = ['failure', 'warning', 'ok'] as const

/** The health of a log in sentences. */
export function logHealthText({ rows, findings }: LogHealth): string {
  const [failures, warnings] = STATES.map((wanted) => findings.filter(({ state }) => state === wanted).length)
  const head =
    failures === 0 && warnings === 0
      ? `${count(rows)}: nothing stands out.`
      : `${count(rows)}: ${count(failures!, 'failure')}, ${count(warnings!, 'warning')}.`
  const lines = STATES.flatMap((wanted) =>
    findings
      .filter(({ state }) => state === wanted)
      .map(({ check, state, says, advice }) => {
        const line = `${state.padEnd(8)} ${check.padEnd(16)} ${says}`
        return advice === null ? line : `${line}\n${' '.repeat(26)}-> ${advice}`
      }),
  )
  return [head, ...lines].join('\n')
}
