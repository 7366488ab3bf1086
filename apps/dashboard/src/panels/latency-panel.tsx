// (8) Decide latency and durability lag, from /metrics, since the page was opened.

import { useEffect, useRef, useState } from 'react'
import { getText } from '../api/service.js'
import { LineChart, type Point } from '../charts/line-chart.js'
import { clock, duration } from '../charts/number-format.js'
import { type Histogram, histogramOf, quantileOf, since } from './metrics-text.js'
import { Facts, Panel } from './panel.js'

const EVERY = 3000
const MOST = 120

interface Sample {
  readonly time: number
  readonly decide: { readonly median: number | null; readonly p99: number | null }
  readonly commit: { readonly median: number | null; readonly p99: number | null }
}

export function LatencyPanel() {
  const [samples, setSamples] = useState<readonly Sample[]>([])
  const before = useRef<{ decide: Histogram; commit: Histogram } | null>(null)
  useEffect(() => {
    let stopped = false
    const look = async () => {
      const text = await getText('/metrics').catch(() => null)
      if (stopped || text === null) return
      const now = {
        decide: histogramOf(text, 'primo_request_seconds', (labels) => /decisions(\/batch)?"/.test(labels)),
        commit: histogramOf(text, 'primo_commit_seconds'),
      }
      const part = {
        decide: since(now.decide, before.current?.decide ?? null),
        commit: since(now.commit, before.current?.commit ?? null),
      }
      before.current = now
      const both = (histogram: Histogram) => ({ median: quantileOf(histogram, 0.5), p99: quantileOf(histogram, 0.99) })
      setSamples((old) => [
        ...old.slice(-MOST + 1),
        { time: Date.now(), decide: both(part.decide), commit: both(part.commit) },
      ])
    }
    void look()
    const timer = setInterval(() => {
      if (!document.hidden) void look()
    }, EVERY)
    return () => {
      stopped = true
      clearInterval(timer)
    }
  }, [])
  const last = samples.at(-1)
  const line = (pick: (sample: Sample) => number | null): Point[] =>
    samples.flatMap((sample) => {
      const value = pick(sample)
      return value === null ? [] : [{ x: sample.time, y: 1000 * value }]
    })
  const show = (seconds: number | null | undefined) => (seconds == null ? 'no calls' : duration(1000 * seconds))
  return (
    <Panel
      id="latency"
      title={
        last?.decide.median == null
          ? 'No decision has been requested since this page was opened'
          : `Half of the calls to decide are answered within ${show(last.decide.median)}, 99% within ${show(last.decide.p99)}`
      }
      note="All problems together, calls and batches alike; an answer waits until it is durable on disk."
    >
      <LineChart
        label="Latency of decisions and of commits"
        x="time"
        xFormat={clock}
        yFormat={duration}
        yLabel="time"
        yMin={0}
        height={170}
        lines={[
          { name: 'decide 99%', color: 'var(--s3)', dash: '4 3', points: line(({ decide }) => decide.p99) },
          { name: 'decide median', color: 'var(--s0)', points: line(({ decide }) => decide.median) },
          { name: 'commit median', color: 'var(--s1)', points: line(({ commit }) => commit.median) },
        ]}
      />
      <Facts
        facts={[
          ['decide, median', show(last?.decide.median)],
          ['decide, 99%', show(last?.decide.p99)],
          ['durable, median', show(last?.commit.median)],
          ['durable, 99%', show(last?.commit.p99)],
        ]}
      />
    </Panel>
  )
}
