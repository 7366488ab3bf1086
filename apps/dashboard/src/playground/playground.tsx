// The playground: the algorithms run in the browser while sliders set the world.

import { useEffect, useRef, useState } from 'react'
import { LineChart } from '../charts/line-chart.js'
import { figure, percent, whole } from '../charts/number-format.js'
import { PageFrame } from '../page-frame.js'
import { Panel } from '../panels/panel.js'
import { meanCurve, type PairedDifference, pairedDifference } from './curves.js'
import type { PlayedCell } from './run-cells.js'
import { initialSettings, playedPolicies, type Settings } from './settings.js'

const SEEDS = 8
const NAMES: Readonly<Record<string, string>> = {
  primo: 'PRIMO',
  'primo-cal': 'PRIMO-Cal',
  'zero-fill': 'zero fill',
  'complete-case': 'complete rows only',
  'sees-all-values': 'sees all values',
}
const COLORS: Readonly<Record<string, string>> = { 'complete-case': 'var(--s3)' }

interface Progress {
  readonly cells: readonly PlayedCell[]
  readonly done: boolean
  readonly failure: string | null
}

const NOTHING: Progress = { cells: [], done: false, failure: null }

/** Runs anew whenever the settings change; what was under way is stopped. */
function usePlay(settings: Settings): Progress {
  const [progress, setProgress] = useState<Progress>(NOTHING)
  useEffect(() => {
    setProgress(NOTHING)
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<{ cell?: PlayedCell; done?: true; failure?: string }>) =>
      setProgress((before) => ({
        cells: data.cell === undefined ? before.cells : [...before.cells, data.cell],
        done: data.done === true || before.done,
        failure: data.failure ?? before.failure,
      }))
    worker.postMessage({ settings, seeds: SEEDS })
    return () => worker.terminate()
  }, [settings])
  return progress
}

/** The settings after the sliders have rested. */
function useRested(settings: Settings): Settings {
  const [rested, setRested] = useState(settings)
  const first = useRef(true)
  useEffect(() => {
    if (first.current) {
      first.current = false
      return
    }
    const timer = setTimeout(() => setRested(settings), 250)
    return () => clearTimeout(timer)
  }, [settings])
  return rested
}

export function Playground() {
  const [settings, setSettings] = useState(initialSettings)
  const { cells, done, failure } = usePlay(useRested(settings))
  const set = (change: Partial<Settings>) => setSettings((before) => ({ ...before, ...change }))
  const of = (policy: string) => cells.filter((cell) => cell.policy === policy)
  const total = SEEDS * playedPolicies.length
  const earned = pairedDifference(cells, 'primo', 'primo-cal')
  const robust = pairedDifference(cells, 'primo', 'robust')
  const floor = of('primo').at(-1)
  return (
    <PageFrame
      links={[
        { href: './#/', name: 'Overview', here: false },
        { href: './playground.html', name: 'Playground', here: true },
      ]}
    >
      <h1>Playground: turn the world, watch the policies</h1>
      <p className="quiet">Everything runs in this browser; nothing is sent anywhere.</p>
      <section className="card" aria-label="Settings">
        <div className="sliders">
          <label>
            Scenario
            <br />
            <select
              value={settings.scenario}
              onChange={(event) => set({ scenario: event.target.value as Settings['scenario'] })}
            >
              <option value="A">A: reward linear in z</option>
              <option value="B">B: reward quadratic in z</option>
              <option value="dosing">dosing</option>
              <option value="pricing">pricing</option>
            </select>
          </label>
          <Slider
            name="Missing share"
            value={settings.share}
            min={0.05}
            max={0.9}
            step={0.05}
            show={percent}
            onChange={(share) => set({ share })}
          />
          <Slider
            name="Bias of the model"
            value={settings.bias}
            min={0}
            max={1.5}
            step={0.1}
            show={(v) => `${v.toFixed(1)} × its own`}
            onChange={(bias) => set({ bias })}
          />
          <Slider
            name="Noise of the model"
            value={settings.noise}
            min={0}
            max={0.6}
            step={0.05}
            show={percent}
            onChange={(noise) => set({ noise })}
          />
          <Slider
            name="MNAR strength"
            value={settings.mnar}
            min={-4}
            max={4}
            step={0.5}
            show={(v) => (v === 0 ? '0 (at random)' : v.toFixed(1))}
            onChange={(mnar) => set({ mnar })}
          />
          <Slider
            name="Exploration of PRIMO"
            value={-settings.exploration}
            min={-2}
            max={1}
            step={0.25}
            show={(v) => `c = ${figure(10 ** -v)}`}
            onChange={(v) => set({ exploration: -v })}
          />
          <label>
            Decisions
            <br />
            <select value={settings.rounds} onChange={(event) => set({ rounds: Number(event.target.value) })}>
              {[4096, 8192, 16_384, 32_768].map((rounds) => (
                <option key={rounds} value={rounds}>
                  {whole(rounds)}
                </option>
              ))}
            </select>
          </label>
        </div>
        <p className="small quiet" role="status">
          {failure !== null
            ? `The run failed: ${failure}. Try other settings.`
            : done
              ? `${SEEDS} seeds done.`
              : `${cells.length} of ${total} runs done.`}{' '}
          <button type="button" className="plain" onClick={() => setSettings(initialSettings)}>
            Reset
          </button>
        </p>
      </section>
      <div style={{ height: 16 }} />
      <Panel
        id="curves"
        title={titleOf(earned, robust)}
        note="Cumulative regret in units of reward, mean over the seeds done so far ± two standard errors; less is better."
      >
        {cells.length === 0 && failure === null ? <p role="status">The first curves will appear in a moment.</p> : null}
        <LineChart
          label="Cumulative regret by policy"
          x="count"
          xLabel="decisions"
          xFormat={whole}
          yFormat={figure}
          yLabel="cumulative regret"
          yMin={0}
          height={380}
          lines={[
            ...playedPolicies.map((policy) => ({
              name: NAMES[policy] ?? policy,
              color: COLORS[policy] ?? `var(--c-${policy})`,
              thick: policy === 'robust',
              ...(policy === 'sees-all-values' ? { dash: '6 3' } : {}),
              points: meanCurve(of(policy), (cell) => cell.regret),
            })),
            {
              name: 'best possible without them',
              color: 'var(--c-floor)',
              dash: '1 3',
              points: meanCurve(of('primo'), (cell) => cell.floor).map(({ x, y }) => ({ x, y })),
            },
          ]}
        />
        {floor === undefined ? null : (
          <p className="small quiet">
            Without the missing values nobody can do better than the dotted line (
            {figure((1000 * floor.floor.at(-1)!) / floor.marks.at(-1)!)} per 1,000 decisions). The policy that sees all
            values can.
          </p>
        )}
      </Panel>
    </PageFrame>
  )
}

function titleOf(earned: PairedDifference | null, robust: PairedDifference | null): string {
  if (earned === null) return 'Running'
  const said = ({ mean, error }: PairedDifference) => `${figure(mean)}${error === null ? '' : ` ± ${figure(error)}`}`
  const clear = earned.error !== null && Math.abs(earned.mean) > 2.5 * earned.error
  const verb = !clear ? 'changes the regret by' : earned.mean > 0 ? 'recovers' : 'costs'
  const value = clear
    ? said({ ...earned, mean: Math.abs(earned.mean) })
    : `${said({ ...earned, mean: -earned.mean })} (not settled)`
  return `Per 1,000 decisions calibration ${verb} ${value}${robust === null ? '' : `, robust ${robust.mean > 0 ? 'recovers' : 'costs'} ${said({ ...robust, mean: Math.abs(robust.mean) })}`}`
}

interface SliderProps {
  readonly name: string
  readonly value: number
  readonly min: number
  readonly max: number
  readonly step: number
  readonly show: (value: number) => string
  readonly onChange: (value: number) => void
}

function Slider({ name, value, min, max, step, show, onChange }: SliderProps) {
  return (
    <label>
      {name}: <b>{show(value)}</b>
      <input
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={show(value)}
        onChange={(event) => onChange(Number(event.target.value))}
      />
    </label>
  )
}
