// How long decisions take, and writing them to disk, from /metrics, since the page was opened.

import { useEffect, useRef, useState } from 'react'
import { getText } from '../../api/service.js'
import { seriesColor } from '../../charts/colours.js'
import { LineChart, type Point } from '../../charts/line-chart.js'
import { clock, duration } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { Facts } from '../../components/facts.js'
import { type Histogram, histogramOf, quantileOf, since } from './metrics-text.js'

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
    samples.map((sample) => {
      const value = pick(sample)
      return { x: sample.time, y: value === null ? null : 1000 * value }
    })
  const show = (seconds: number | null | undefined) => (seconds == null ? 'no calls' : duration(1000 * seconds))
  return (
    <Card
      id="latency"
      title={
        last?.decide.median == null
          ? 'No decision has been requested since this page was opened'
          : `Half of the calls to decide are answered within ${show(last.decide.median)}, 99% within ${show(last.decide.p99)}`
      }
      note="All problems together, calls and batches alike; an answer waits until it is safely on disk."
    >
      <LineChart
        label="Latency of decisions and of commits"
        x="time"
        axis="since opened"
        xFormat={clock}
        yFormat={duration}
        yLabel="time"
        yMin={0}
        height={170}
        lines={[
          { name: 'answered, 99%', color: seriesColor(7), dash: '4 3', points: line(({ decide }) => decide.p99) },
          { name: 'answered, half', color: seriesColor(0), points: line(({ decide }) => decide.median) },
          { name: 'on disk, half', color: seriesColor(10), points: line(({ commit }) => commit.median) },
        ]}
      />
      <Facts
        facts={[
          ['answered, half', show(last?.decide.median)],
          ['answered, 99%', show(last?.decide.p99)],
          ['on disk, half', show(last?.commit.median)],
          ['on disk, 99%', show(last?.commit.p99)],
        ]}
      />
    </Card>
  )
}
