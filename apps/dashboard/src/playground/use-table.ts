// A table in its worker: dropped, looked at, replayed as often as the reader likes.

import { useEffect, useRef, useState } from 'react'
import type { ReplayedCell, ReplayFacts } from './replay-table.js'
import type { LookedAt, ReplayPlan } from './table-roles.js'
import type { TableRequest } from './table-worker.js'

export const REPEATS = 4
const LARGEST = 100 * 2 ** 20

export interface TableState {
  readonly looked: LookedAt | null
  readonly facts: ReplayFacts | null
  readonly cells: readonly ReplayedCell[]
  /** Of the replay before. */
  readonly ghosts: readonly ReplayedCell[]
  readonly busy: 'reading' | 'replaying' | null
  readonly failure: string | null
}

const NOTHING: TableState = { looked: null, facts: null, cells: [], ghosts: [], busy: null, failure: null }

export function useTable() {
  const [state, setState] = useState<TableState>(NOTHING)
  const worker = useRef<Worker | null>(null)
  const file = useRef<File | null>(null)
  useEffect(() => () => worker.current?.terminate(), [])

  /** What is under way cannot be asked to stop: its worker is. */
  const begin = async (given: File, plan: ReplayPlan | null) => {
    worker.current?.terminate()
    const next = new Worker(new URL('./table-worker.ts', import.meta.url), { type: 'module' })
    next.onmessage = ({ data }: MessageEvent<Partial<TableState> & { cell?: ReplayedCell; done?: true }>) =>
      setState((before) => {
        if (data.failure != null) return { ...before, busy: null, failure: data.failure }
        if (data.done === true) return { ...before, busy: null }
        if (data.cell !== undefined) return { ...before, cells: [...before.cells, data.cell] }
        return { ...before, ...data }
      })
    worker.current = next
    file.current = given
    next.postMessage({
      name: given.name,
      bytes: await given.arrayBuffer(),
      plan,
      seeds: REPEATS,
    } satisfies TableRequest)
  }

  const drop = async (given: File) => {
    if (given.size > LARGEST) {
      setState({
        ...NOTHING,
        failure: `${given.name} has ${Math.round(given.size / 2 ** 20)} MB; at most 100 fit here`,
      })
      return
    }
    setState({ ...NOTHING, busy: 'reading' })
    await begin(given, null)
  }
  const replay = async (plan: ReplayPlan) => {
    setState((before) => ({
      ...before,
      cells: [],
      ghosts: before.cells.length > 0 ? before.cells : before.ghosts,
      facts: null,
      busy: 'replaying',
      failure: null,
    }))
    if (file.current !== null) await begin(file.current, plan)
  }
  return { state, drop, replay }
}
