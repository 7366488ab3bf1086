// primo train --problem P: a model from the service's own log, up to its last round (the cut). In the shadow first: --shadow judges it on truths
// of later rounds, beside what the model in use said of them; --promote puts it in its place where it is better. What was learnt of rewards
// stays (the definition changes as 'recalibrated').

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProblemDefinition, ProblemInfo } from '@primo/contract'
import { type ModelFile, type TrainedModel, trained } from '@primo/core'
import {
  type Judgement,
  judgeModel,
  type LogHeader,
  type LogRow,
  type LogTable,
  logTable,
  openLog,
} from '@primo/lab/node'
import { exportHeader, exportRows, openExistingStore, startHost } from '@primo/service'
import { withArchive } from '../archive-place.js'
import { print, printJson, UsageError } from '../output.js'
import { sender } from '../service-call.js'
import { modelsIn } from './model-file.js'

export interface LogFlags {
  readonly store?: string
  readonly url?: string
  readonly problem?: string
  readonly archive?: string
  readonly shadow?: string
  readonly promote?: boolean
  readonly covariate?: string[]
  readonly json?: boolean
}

interface OpenedProblem {
  readonly header: LogHeader
  readonly rows: () => AsyncIterable<LogRow>
  readonly definition: ProblemDefinition
  readonly define: (definition: ProblemDefinition) => Promise<string>
  readonly close: () => Promise<void>
}

/** The log of a problem in a store, with what was archived of it, or behind the address of a service that runs. */
export async function openProblem({ store: address, url, problem, archive }: LogFlags): Promise<OpenedProblem> {
  if (problem === undefined) throw new UsageError('--problem must be given with --store or --url')
  if (url !== undefined && archive !== undefined) throw new UsageError('--archive must be given with --store')
  if (url !== undefined) return overHttp(url, problem)
  const store = await openExistingStore(address!)
  const row = await store.problem(problem)
  if (row === undefined) {
    await store.close()
    throw new UsageError(`--problem must be in the store, got "${problem}"`)
  }
  const header = exportHeader(row)
  const stored = (from: number) => exportRows(row, store.allDecisions(row.id, row.version, from))
  const whole = await withArchive(archive, header, stored).catch(async (error: unknown) => {
    await store.close()
    throw error
  })
  return {
    header,
    rows: whole.rows,
    definition: row.definition,
    define: async (definition) => {
      const quiet = () => undefined
      const host = await startHost({
        store,
        tickEvery: 0,
        events: { decided: quiet, replaced: quiet, fitted: quiet, fitFailed: quiet, changed: quiet },
      })
      try {
        return (await host.define(problem, definition, false)).change
      } finally {
        await host.close()
      }
    },
    close: async () => {
      whole.close()
      await store.close()
    },
  }
}

async function overHttp(url: string, problem: string): Promise<OpenedProblem> {
  const send = sender(url)
  const path = `/v1/problems/${encodeURIComponent(problem)}`
  const { definition } = await send<ProblemInfo>('GET', path)
  const key = process.env.PRIMO_KEY
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const reply = await fetch(`${url.replace(/\/+$/, '')}${path}/log?format=jsonl`, { headers })
  if (!reply.ok) throw new UsageError(`--url must give the log of ${problem}, got ${reply.status}`)
  const folder = mkdtempSync(join(tmpdir(), 'primo-log-'))
  const file = join(folder, 'log.jsonl')
  writeFileSync(file, Buffer.from(await reply.arrayBuffer()))
  const { header, rows } = await openLog(file)
  return {
    header,
    rows,
    definition,
    define: async (given) => (await send<{ change: string }>('PUT', path, given)).change,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The table to train on, and up to which round it goes. */
export async function trainingLog(
  flags: LogFlags,
): Promise<LogTable & { readonly cut: number; readonly features: string[] }> {
  const opened = await openProblem(flags)
  try {
    const found = await logTable(`log of ${flags.problem}`, opened.header, opened.rows())
    const cut = found.rounds.reduce((last, round) => Math.max(last, round), 0)
    return { ...found, cut, features: Object.keys(opened.header.context) }
  } finally {
    await opened.close()
  }
}

/** Judges the models of a file on later truths, and puts those that are better in their place where asked to. */
export async function judgeShadow(flags: LogFlags): Promise<void> {
  const { models } = modelsIn('--shadow', flags.shadow!)
  const opened = await openProblem(flags)
  try {
    const judged: { model: TrainedModel; judgement: Judgement | null }[] = []
    for (const model of models) {
      const { table, predictions } = await laterRounds(opened, flags.problem!, model)
      judged.push({ model, judgement: judgeModel(model, table, predictions[model.covariate] ?? []) })
    }
    const better = judged.filter(({ judgement }) => judgement?.better === true).map(({ model }) => model)
    const change =
      flags.promote === true && better.length > 0 ? await opened.define(withModels(opened.definition, better)) : null
    if (flags.json === true)
      printJson({
        judged: judged.map(({ model, judgement }) => ({ covariate: model.covariate, ...judgement })),
        change,
      })
    else {
      for (const { model, judgement } of judged) print(verdict(model, judgement))
      if (change !== null) print(`promoted (${change}): ${better.map(({ covariate }) => covariate).join(', ')}`)
    }
  } finally {
    await opened.close()
  }
}

async function laterRounds({ header, rows }: OpenedProblem, problem: string, { covariate, card }: TrainedModel) {
  if (card.cut === undefined)
    throw new UsageError(`--shadow must be a model that was trained on a log, and that of ${covariate} was not`)
  try {
    return await logTable(`log of ${problem}`, header, rows(), card.cut)
  } catch (error) {
    throw new UsageError(
      `no round is later than ${card.cut}, up to which ${covariate} was trained: ${(error as Error).message}`,
    )
  }
}

function withModels(definition: ProblemDefinition, models: readonly TrainedModel[]): ProblemDefinition {
  const covariates = Object.entries(definition.covariates).map(([name, covariate]) => {
    const model = models.find((one) => one.covariate === name)
    if (model === undefined) return [name, covariate]
    const file: ModelFile = { format: 'primo-model', formatVersion: 1, models: [model] }
    return [name, { ...covariate, imputer: trained(file, name, { version: `log to round ${model.card.cut}` }) }]
  })
  return { ...definition, covariates: Object.fromEntries(covariates) as ProblemDefinition['covariates'] }
}

const short = (value: number) => Number(value.toPrecision(4)).toString()

function verdict({ covariate, target, card }: TrainedModel, judgement: Judgement | null): string {
  if (judgement === null)
    return `${covariate}: too few truths after round ${card.cut} to judge the model; it stays in the shadow.`
  const { truths, error, servingError, better } = judgement
  const unit = target.type === 'number' ? 'root mean squared error' : 'log loss'
  const says = better ? 'is better than the model in use' : 'is not shown to be better than the model in use'
  return `${covariate}: the model in the shadow ${says}: ${unit} ${short(error)} against ${short(servingError)} on ${truths.toLocaleString('en')} truths after round ${card.cut}.`
}
