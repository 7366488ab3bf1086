// How a chart is read: pointer, finger and keys move the crosshair; dragging, two fingers or shift and arrows choose a part to zoom to.

import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import type { ChartStore } from './chart-group.js'
import { type Frame, type Range, valueAt } from './frame.js'
import { nearest } from './series.js'

/** Less than this is a click with a shaking hand. */
const LEAST_DRAG = 6

export interface Reading {
  /** The part being chosen. */
  readonly brush: Range | null
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent<SVGSVGElement>) => void
    readonly onPointerMove: (event: PointerEvent<SVGSVGElement>) => void
    readonly onPointerUp: (event: PointerEvent<SVGSVGElement>) => void
    readonly onPointerCancel: (event: PointerEvent<SVGSVGElement>) => void
    readonly onPointerLeave: (event: PointerEvent<SVGSVGElement>) => void
    readonly onDoubleClick: () => void
    readonly onKeyDown: (event: KeyboardEvent) => void
    readonly onBlur: () => void
  }
}

export function useReading(store: ChartStore, axis: string, chart: string, frame: Frame): Reading {
  const [brush, setBrush] = useState<Range | null>(null)
  /** Pixels across at which buttons or fingers are down: first where it began, then where it is. */
  const down = useRef(new Map<number, readonly [number, number]>())
  const { columns } = frame

  const place = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    return { across: event.clientX - box.left, along: event.clientY - box.top }
  }
  const readAt = (pixel: number, along: number | null) => {
    const at = nearest(columns.length, (i) => columns[i]!, valueAt(frame, pixel))
    if (at !== null) store.set(axis, { cursor: { x: columns[at]!, chart, pixel: along } })
  }
  const chosen = (touch: boolean): readonly [number, number] | null => {
    const pointers = [...down.current.values()]
    if (touch && pointers.length < 2) return null
    const [from, to] = touch ? [pointers[0]![1], pointers[1]![1]] : pointers[0]!
    return Math.abs(from - to) < LEAST_DRAG ? null : [Math.min(from, to), Math.max(from, to)]
  }
  const rangeOf = (pixels: readonly [number, number] | null): Range | null =>
    pixels === null ? null : { from: valueAt(frame, pixels[0]), to: valueAt(frame, pixels[1]) }
  const zoom = (range: Range | null) => {
    setBrush(null)
    if (range !== null) store.set(axis, { range })
  }

  return {
    brush,
    handlers: {
      onPointerDown: (event) => {
        const { across, along } = place(event)
        if (event.pointerType === 'mouse' && event.button !== 0) return
        event.currentTarget.setPointerCapture?.(event.pointerId)
        down.current.set(event.pointerId, [across, across])
        if (event.pointerType === 'touch') readAt(across, along)
      },
      onPointerMove: (event) => {
        const { across, along } = place(event)
        const began = down.current.get(event.pointerId)
        if (began !== undefined) {
          down.current.set(event.pointerId, [began[0], across])
          setBrush(rangeOf(chosen(event.pointerType === 'touch')))
        }
        readAt(across, along)
      },
      onPointerUp: (event) => {
        const range = rangeOf(chosen(event.pointerType === 'touch'))
        down.current.clear()
        zoom(range)
      },
      // The browser took the finger to scroll.
      onPointerCancel: () => {
        down.current.clear()
        setBrush(null)
      },
      onPointerLeave: (event) => {
        if (event.pointerType === 'mouse') store.set(axis, { cursor: null })
      },
      onDoubleClick: () => store.set(axis, { range: null }),
      onKeyDown: (event) => {
        const { cursor, range } = store.get(axis)
        const at = cursor === null ? null : nearest(columns.length, (i) => columns[i]!, cursor.x)
        const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key]
        const go = (index: number) => {
          const next = Math.max(0, Math.min(columns.length - 1, index))
          if (columns[next] === undefined) return
          store.set(axis, { cursor: { x: columns[next], chart, pixel: null } })
          if (event.shiftKey && at !== null) {
            const fixed = brush === null ? columns[at]! : brush.from === columns[at] ? brush.to : brush.from
            setBrush({ from: Math.min(fixed, columns[next]), to: Math.max(fixed, columns[next]) })
          } else setBrush(null)
        }
        if (event.key === 'Home') go(0)
        else if (event.key === 'End') go(columns.length - 1)
        else if (step !== undefined) go((at ?? columns.length - 1) + step)
        else if (event.key === 'Enter' && brush !== null) zoom(brush)
        else if (event.key === 'Escape' && brush !== null) setBrush(null)
        else if (event.key === 'Escape' && cursor !== null) store.set(axis, { cursor: null })
        else if (event.key === 'Escape' && range !== null) store.set(axis, { range: null })
        else return
        event.preventDefault()
      },
      onBlur: () => {
        setBrush(null)
        store.set(axis, { cursor: null })
      },
    },
  }
}
