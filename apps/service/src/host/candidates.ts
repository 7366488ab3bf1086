// Candidates of problems: how they are set, and how a promotion is taken back, by an operator or where a guardrail is left.

import type { CandidateBody, CandidateInfo, ProblemDefinition } from '@primo/contract'
import type { Code } from '@primo/core'
import type { EpochState } from '@primo/core/engine'
import { PrimoError } from '@primo/numeric'
import { membersOfImputer, PURE_KINDS } from '../imputers/imputer-definition.js'
import { engineOf, learningStart } from '../learning/problem-engine.js'
import { SOFTWARE } from '../learning/software.js'
import type { ProblemRow } from '../ledger/book.js'
import { type CandidateChanges, changedDefinition } from '../ledger/candidate.js'
import { canonicalJson } from '../ledger/canonical-json.js'
import type { Command, Outcome, Refused } from '../ledger/commands.js'
import { guardrailBound, guardrailScale, leftGuardrail } from '../ledger/guardrails.js'
import type { CandidateRecord, PromotionRecord } from '../ledger/records.js'
import { ServiceError } from '../ledger/service-error.js'
import { GATE } from '../ledger/settle-candidate.js'
import type { Store } from '../ledger/store.js'
import { present } from '../ledger/store-damaged.js'

export interface Candidates {
  readonly info: (name: string) => Promise<CandidateInfo>
  /** Throws where the candidate cannot be followed beside the live policy. */
  readonly set: (name: string, body: CandidateBody, by: string | null) => Promise<void>
  readonly withdraw: (name: string, by: string | null) => Promise<void>
  /** Takes the last promotion back; throws unknown-policy where there is none. */
  readonly rollBack: (name: string, by: string | null) => Promise<void>
  /** Takes the last promotion back if a guardrail is left. */
  readonly watch: (name: string) => Promise<void>
}

interface CandidatesOptions {
  readonly store: Store
  readonly code: readonly Code[]
  readonly settle: (command: Command) => Promise<Exclude<Outcome, Refused>>
  /** A definition checked, with what it names. */
  readonly prepared: (definition: ProblemDefinition) => Promise<{ readonly definition: ProblemDefinition }>
}

const LEVEL = 0.95

export function createCandidates({ store, code, settle, prepared }: CandidatesOptions): Candidates {
  async function rowOf(name: string): Promise<ProblemRow> {
    const row = await store.problem(name)
    if (row === undefined) throw new ServiceError('unknown-problem', `no problem is called "${name}"`)
    return row
  }

  async function recordAt<T>({ id }: ProblemRow, seq: number): Promise<T> {
    const [entry] = await store.readLog(id, seq - 1, 1)
    return JSON.parse(entry!.body) as T
  }

  async function set(name: string, { learning, imputers, level = LEVEL }: CandidateBody, by: string | null) {
    const { definition: before, revision } = await rowOf(name)
    if (before.mode === 'shadow')
      throw new PrimoError('wrong-mode', 'a candidate needs a problem whose mode is not "shadow": others decide there')
    for (const [covariate, imputer] of Object.entries(imputers ?? {})) {
      if (!Object.hasOwn(before.covariates, covariate))
        throw new PrimoError('unknown-feature', `imputers must only have covariates, got "${covariate}"`)
      for (const [, { kind }] of membersOfImputer(imputer))
        if (kind === 'column' || !(PURE_KINDS as readonly string[]).includes(kind))
          throw new PrimoError(
            'invalid-problem',
            `imputers.${covariate} must be plain data, so that it can be asked about rounds of the log, got "${kind}"`,
          )
    }
    const given = { ...(learning === undefined ? {} : { learning }), ...(imputers === undefined ? {} : { imputers }) }
    const { definition } = await prepared(changedDefinition(before, given as CandidateChanges))
    if (canonicalJson(definition) === canonicalJson(before))
      throw new PrimoError('invalid-request', 'a candidate must differ from the problem as it is, got the same')
    const names = Object.keys(imputers ?? {})
    const body = {
      ...(learning === undefined ? {} : { learning: definition.learning! }),
      ...(names.length === 0
        ? {}
        : { imputers: Object.fromEntries(names.map((one) => [one, definition.covariates[one]!.imputer])) }),
      level,
    }
    refuseStale(name, await settle({ kind: 'candidate', problem: name, body, by, revision }))
  }

  async function demote(row: ProblemRow, why: string, by: string | null): Promise<void> {
    const { since, policy } = row.book.watch!
    const { undo } = await recordAt<PromotionRecord>(row, since)
    const stored = await store.snapshot(row.id, row.version, policy)
    const { state: text, report, software, cut } = present(stored, `policy ${policy} of "${row.name}"`, row.id)
    const version = row.book.learnt + 1
    const state: EpochState = { ...(JSON.parse(text) as EpochState), version }
    const next = learningStart(engineOf(changedDefinition(row.definition, undo), code), state)
    const learnt = { version, cut, state: JSON.stringify(state), report, software: software ?? SOFTWARE, next }
    const { name: problem, revision } = row
    const outcome = await settle({ kind: 'demote', problem, since, revision, learnt, why, by })
    if (by !== GATE) refuseStale(problem, outcome)
  }

  async function info(name: string): Promise<CandidateInfo> {
    const row = await rowOf(name)
    const { candidate, watch, verdict } = row.book
    const record = candidate === undefined ? null : await recordAt<CandidateRecord>(row, candidate.since)
    return {
      problem: name,
      candidate:
        candidate === undefined || record === null
          ? null
          : {
              ...(record.learning === undefined ? {} : { learning: record.learning }),
              ...(record.imputers === undefined ? {} : { imputers: record.imputers }),
              level: record.level,
              since: candidate.time,
              by: record.by ?? null,
              looks: candidate.looks,
              rounds: candidate.rounds,
              gain: candidate.gain,
            },
      promoted: watch === undefined ? null : { since: watch.time, policy: watch.policy, guardrails: railsOf(row) },
      last: verdict ?? null,
    } as CandidateInfo
  }

  return {
    info,
    set,
    withdraw: async (name, by) => void (await settle({ kind: 'candidate', problem: name, body: null, by })),
    rollBack: async (name, by) => {
      const row = await rowOf(name)
      if (row.book.watch === undefined)
        throw new ServiceError('unknown-policy', `no promotion of "${name}" can be taken back`)
      await demote(row, 'an operator took it back', by)
    },
    watch: async (name) => {
      const row = await rowOf(name)
      const { watch } = row.book
      const left = watch === undefined ? null : leftGuardrail(row.definition.guardrails ?? {}, watch.guardrails)
      if (left !== null) await demote(row, left, GATE)
    },
  }
}

function refuseStale(problem: string, outcome: Outcome): void {
  if ('stale' in outcome) throw new ServiceError('overloaded', `problem "${problem}" is being changed`)
}

function railsOf({ definition, book }: ProblemRow) {
  const rails = Object.entries(definition.guardrails ?? {})
  return Object.fromEntries(
    rails.map(([name, rail]) => {
      const evidence = book.watch!.guardrails[name]
      const { outside, limit } = guardrailScale(rail)
      return [
        name,
        {
          reports: evidence?.count ?? 0,
          mean: evidence === undefined ? null : outside(evidence.sum / evidence.count),
          limit,
          bound: evidence === undefined ? null : guardrailBound(rail, evidence, rails.length),
        },
      ]
    }),
  )
}
