// Charts that are read together: one crosshair and one zoom for all that share an axis.

import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Range } from './frame.js'

interface AxisState {
  /** Where the crosshair is, and in which chart. */
  readonly cursor: { readonly x: number; readonly chart: string; readonly pixel: number | null } | null
  readonly range: Range | null
}

const AT_REST: AxisState = { cursor: null, range: null }

export interface ChartStore {
  readonly get: (axis: string) => AxisState
  readonly set: (axis: string, change: Partial<AxisState>) => void
  readonly subscribe: (listener: () => void) => () => void
}

export function createChartStore(onRange: (axis: string, range: Range | null) => void = () => {}): ChartStore {
  const axes = new Map<string, AxisState>()
  const listeners = new Set<() => void>()
  const get = (axis: string) => axes.get(axis) ?? AT_REST
  return {
    get,
    set: (axis, change) => {
      const before = get(axis)
      axes.set(axis, { ...before, ...change })
      for (const listener of listeners) listener()
      if (change.range !== undefined && change.range !== before.range) onRange(axis, change.range)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const Group = createContext<ChartStore | null>(null)

interface ChartGroupProps {
  /** The shown part of the time axis, where the view keeps it (in the address); null: all. */
  readonly range?: Range | null
  readonly onRange?: (range: Range | null) => void
  readonly children: ReactNode
}

export function ChartGroup({ range, onRange, children }: ChartGroupProps) {
  const tell = useRef(onRange)
  tell.current = onRange
  const store = useMemo(() => createChartStore((axis, to) => (axis === 'time' ? tell.current?.(to) : undefined)), [])
  const [from, to] = [range?.from, range?.to]
  useEffect(() => {
    const next = from === undefined || to === undefined ? null : { from, to }
    const { range: shown } = store.get('time')
    if (range !== undefined && (shown?.from !== from || shown?.to !== to)) store.set('time', { range: next })
  }, [store, range, from, to])
  return <Group value={store}>{children}</Group>
}

/** The group's store; a chart that stands alone has its own. */
export function useChartStore(): ChartStore {
  const group = useContext(Group)
  const [own] = useState(createChartStore)
  return group ?? own
}

export function useAxisRange(store: ChartStore, axis: string): Range | null {
  return useSyncExternalStore(store.subscribe, () => store.get(axis).range)
}

export function useCursor(store: ChartStore, axis: string): AxisState['cursor'] {
  return useSyncExternalStore(store.subscribe, () => store.get(axis).cursor)
}
