// All definitions that a problem has had, from its log, oldest first.

import type { LogEntry } from './facts.js'
import type { ProblemRecord } from './records.js'

export type Definition = ProblemRecord & { readonly seq: number; readonly time: number }

interface ReadableLog {
  readonly readLog: (problem: number, after: number, limit: number) => Promise<readonly LogEntry[]>
}

export async function definitionsOf(store: ReadableLog, problem: number): Promise<Definition[]> {
  const definitions: Definition[] = []
  for (let after = 0; ; ) {
    const page = await store.readLog(problem, after, 1000)
    for (const { seq, time, kind, body } of page)
      if (kind === 'problem') definitions.push({ seq, time, ...(JSON.parse(body) as ProblemRecord) })
    if (page.length === 0) return definitions
    after = page.at(-1)!.seq
  }
}
