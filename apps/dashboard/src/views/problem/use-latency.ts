// How long calls to decide take, all problems together: since the service began at first, then between looks.

import { useEffect, useRef, useState } from 'react'
import { getText } from '../../api/service.js'
import { type Histogram, histogramOf, quantileOf, since } from '../operate/metrics-text.js'

export interface Latency {
  /** Seconds; null: nobody called. */
  readonly p99: number | null
  readonly median: number | null
  /** The last looks, oldest first. */
  readonly trend: readonly (number | null)[]
}

const EVERY = 10_000
const MOST = 30

export function useLatency(): Latency {
  const [latency, setLatency] = useState<Latency>({ p99: null, median: null, trend: [] })
  const before = useRef<Histogram | null>(null)
  useEffect(() => {
    let stopped = false
    const look = async () => {
      if (document.hidden) return
      const text = await getText('/metrics').catch(() => null)
      if (stopped || text === null) return
      const now = histogramOf(text, 'primo_request_seconds', (labels) => /decisions(\/batch)?"/.test(labels))
      const part = since(now, before.current)
      before.current = now
      const p99 = quantileOf(part, 0.99)
      setLatency(({ trend }) => ({ p99, median: quantileOf(part, 0.5), trend: [...trend.slice(1 - MOST), p99] }))
    }
    void look()
    const timer = setInterval(look, EVERY)
    return () => {
      stopped = true
      clearInterval(timer)
    }
  }, [])
  return latency
}
