// The thread that learns. It keeps the rounds of each problem in columns, reads the new part of the log up to the end of an
// epoch, and answers with the new state.

import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { Code } from '@primo/core'
import type { EpochState } from '@primo/core/engine'
import { gateVerdict } from '@primo/lab/evaluation'
import { BLOCK_ROUNDS } from '@primo/numeric'
import type { Learnt } from '../ledger/commands.js'
import type { LogReader, ReaderSpec } from '../ledger/store.js'
import { openReader } from '../store/open-store.js'
import type { Gate } from '../threads/thread-gate.js'
import { type CandidateFollower, type Looked, type ReadLog, resumeCandidate } from './candidate-follower.js'
import { type CodeModule, loadCodeModules } from './code-modules.js'
import { type ContextFile, openContextFile } from './context-file.js'
import { createFollower, type Follower } from './follower.js'
import { learningStart } from './problem-engine.js'
import { SOFTWARE } from './software.js'

export interface LearnerStart {
  readonly reader: ReaderSpec
  readonly gate: Gate
  /** Modules of the operator's code. */
  readonly code: readonly CodeModule[]
}

export interface LearnRequest {
  readonly problem: number
  readonly version: number
  /** Record that began this version. */
  readonly start: number
  readonly cut: number
  /** The newest state learnt, JSON; null: nothing yet. */
  readonly state: string | null
  /** Fails on purpose, for tests of what happens then. */
  readonly fail?: boolean
}

export type LearnReply =
  | {
      readonly state: string
      readonly report: string
      readonly next: ReturnType<typeof learningStart>
      readonly version: number
      readonly software: string
      /** Seconds of reading the log and of fitting. */
      readonly reading: number
      readonly fitting: number
    }
  | { readonly error: string }

/** A candidate is to learn and be judged. */
export interface LookRequest {
  readonly candidate: {
    /** The record that set it, and the end of its newest look in the log; 0: none. */
    readonly since: number
    readonly looked: number
  }
  readonly problem: number
  readonly start: number
  readonly cut: number
  /** The number that its policy would have. */
  readonly policy: number
}

export type LookReply =
  | (Looked & { readonly learnt: Learnt | null; readonly givenUp: string | null })
  | { readonly error: string }

const PAGE = 2000
const port = parentPort!
const { reader: spec, gate, code: modules } = workerData as LearnerStart
const followers = new Map<number, { version: number; follower: Follower; forget: () => void }>()
/** Problems of which the columns hold what was forgotten: they are read again before the next fit. */
const stale = new Set<number>()
let learning: number | null = null
const folder = spec.kind === 'sqlite' ? dirname(spec.path) : tmpdir()
let opened: LogReader | null = null
let loaded: readonly Code[] | null = null

/** Of one problem each. */
const candidates = new Map<number, { since: number; follower: CandidateFollower; forget: () => void }>()

/** Where contexts of old rounds go, and how to close it. */
function contextFiles() {
  const files: ContextFile[] = []
  const archive = (contextWidth: number) => {
    files.push(openContextFile(folder, BLOCK_ROUNDS * contextWidth))
    return files.at(-1)!
  }
  const forget = () => {
    for (const file of files) file.close()
  }
  return { archive, forget }
}

async function newFollower(version: number, start: number) {
  loaded ??= await loadCodeModules(modules)
  const { archive, forget } = contextFiles()
  return { version, follower: createFollower(start - 1, archive, loaded), forget }
}

async function candidateOf({ problem, start, candidate: { since, looked } }: LookRequest) {
  const known = candidates.get(problem)
  if (known?.since === since && known.follower.looked() === looked) return known.follower
  dropCandidate(problem)
  loaded ??= await loadCodeModules(modules)
  const { archive, forget } = contextFiles()
  const read: ReadLog = (after, upTo, limit) => opened!.read(problem, after, upTo, limit)
  const follower = await resumeCandidate({ read, start, since, archive, code: loaded }, looked)
  candidates.set(problem, { since, follower, forget })
  return follower
}

function dropCandidate(problem: number): void {
  candidates.get(problem)?.forget()
  candidates.delete(problem)
}

/** The next look counts from what the log has: one that was not written is made again. */
async function look(request: LookRequest): Promise<LookReply> {
  opened ??= await openReader(spec, gate)
  const { cut, policy: version } = request
  const follower = await candidateOf(request)
  const looked = await follower.look(cut)
  const verdict = gateVerdict(looked.gain)
  const givenUp = verdict === 'give-up' ? 'it earns less than what was played' : null
  if (verdict !== 'promote') return { ...looked, learnt: null, givenUp }
  const { state, engine, report } = follower.learnt()
  const learnt: Learnt = {
    version,
    cut,
    state: JSON.stringify({ ...state, version }),
    report: JSON.stringify(report),
    software: SOFTWARE,
    next: learningStart(engine(), state),
  }
  return { ...looked, learnt, givenUp }
}

async function learn(request: LearnRequest): Promise<LearnReply> {
  opened ??= await openReader(spec, gate)
  const { problem, version, start, cut } = request
  let kept = followers.get(problem)
  if (kept?.version !== version) {
    kept?.forget()
    kept = await newFollower(version, start)
    followers.set(problem, kept)
  }
  const { follower } = kept
  const began = performance.now()
  while (follower.position() < cut) {
    const page = await opened.read(problem, follower.position(), cut, PAGE)
    if (page.length === 0) throw new Error(`the log has no record ${follower.position() + 1} to ${cut}`)
    for (const entry of page) follower.take(entry)
    if (page.some(({ kind }) => kind === 'forgetting')) stale.add(problem)
  }
  const read = performance.now()
  if (request.fail) throw new Error('the fit was made to fail')
  const before = request.state === null ? null : (JSON.parse(request.state) as EpochState)
  const state = follower.learn(before)
  return {
    state: JSON.stringify(state),
    report: JSON.stringify(follower.report(state)),
    next: learningStart(follower.engine(), state),
    version: state.version,
    software: SOFTWARE,
    reading: (read - began) / 1000,
    fitting: (performance.now() - read) / 1000,
  }
}

/** Closes the files of the contexts, too. */
function drop(problem: number): void {
  dropCandidate(problem)
  followers.get(problem)?.forget()
  followers.delete(problem)
  stale.delete(problem)
}

async function answer(request: LearnRequest | LookRequest): Promise<void> {
  const { problem } = request
  learning = problem
  try {
    port.postMessage('candidate' in request ? await look(request) : await learn(request))
  } catch (error) {
    // The log may be half read: start again next time.
    stale.add(problem)
    port.postMessage({ error: error instanceof Error ? error.message : String(error) } satisfies LearnReply)
  }
  learning = null
  if (stale.has(problem)) drop(problem)
}

port.on('message', (request: LearnRequest | LookRequest | { readonly forget: number } | 'close') => {
  if (request === 'close') {
    port.close()
    void opened?.close().catch(() => undefined)
  } else if ('forget' in request) {
    if (learning === request.forget) stale.add(request.forget)
    else drop(request.forget)
  } else void answer(request)
})
