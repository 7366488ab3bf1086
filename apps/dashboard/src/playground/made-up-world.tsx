// The made-up world: dials at the left, the policies' regret at the right.

import { useMemo } from 'react'
import { go, hashOf, useAddress } from '../address.js'
import { LIMIT_COLOR, policyColor } from '../charts/colours.js'
import { LineChart } from '../charts/line-chart.js'
import { figure, percent, whole } from '../charts/number-format.js'
import { Button } from '../components/button.js'
import { Card } from '../components/card.js'
import { Field } from '../components/field.js'
import { Select } from '../components/select.js'
import { type Estimate, estimateText, isSettled, meanCurve, pairedDifference } from './curves.js'
import { POLICY_NAMES, policyDash } from './policy-names.js'
import type { PlayedCell } from './run-cells.js'
import { Slider } from './slider.js'
import { SEEDS, usePlay } from './use-play.js'
import {
  initialSettings,
  playedPolicies,
  presets,
  type Settings,
  scenarios,
  settingsFrom,
  settingsQuery,
} from './world-settings.js'

const UNITS: Readonly<Record<Settings['scenario'], string>> = {
  dosing: 'right doses',
  pricing: 'dollars',
  A: 'of reward',
  B: 'of reward',
}

export function MadeUpWorld() {
  const { path, query } = useAddress()
  const text = JSON.stringify(query)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same words are the same settings
  const settings = useMemo(() => settingsFrom(query), [text])
  const set = (change: Partial<Settings>) =>
    go(hashOf({ path, query: settingsQuery({ ...settings, ...change }) }), { replace: true })
  const { cells, ghosts, done, failure, settings: played } = usePlay(settings)
  const perThousand = ({ regret, marks }: PlayedCell) => (1000 * regret.at(-1)!) / marks.at(-1)!
  const gained = pairedDifference(cells, 'primo', 'robust', perThousand)
  const total = SEEDS * playedPolicies.length
  const same = (change: Partial<Settings>) =>
    Object.entries({ ...initialSettings, ...change }).every(([key, value]) => settings[key as keyof Settings] === value)
  return (
    <div className="playground">
      <Card id="world" title="The world">
        <div className="stack">
          <fieldset className="row bare">
            <legend className="hidden">Worlds worth seeing</legend>
            {presets.map(({ name, about, change }) => (
              <Button
                key={name}
                small
                kind={same(change) ? 'primary' : 'plain'}
                onClick={() => set({ ...initialSettings, ...change })}
              >
                <span title={about}>{name}</span>
              </Button>
            ))}
          </fieldset>
          <p className="small quiet">{presets.find(({ change }) => same(change))?.about ?? 'A world of your own.'}</p>
          <div className="sliders">
            <Field label="Scenario">
              {(control) => (
                <Select
                  {...control}
                  choices={Object.entries(scenarios) as [Settings['scenario'], string][]}
                  value={settings.scenario}
                  onChange={(scenario) => set({ scenario })}
                />
              )}
            </Field>
            <Slider
              name="Unknown values"
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
              name="Hidden on purpose"
              value={settings.mnar}
              min={-4}
              max={4}
              step={0.5}
              show={(v) => (v === 0 ? 'no' : v > 0 ? `high values, ${v}` : `low values, ${-v}`)}
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
            <Field label="Decisions">
              {(control) => (
                <Select
                  {...control}
                  choices={[4096, 8192, 16_384, 32_768].map((rounds) => [String(rounds), whole(rounds)] as const)}
                  value={String(settings.rounds)}
                  onChange={(rounds) => set({ rounds: Number(rounds) })}
                />
              )}
            </Field>
          </div>
          <p className="small quiet" role="status">
            {failure !== null
              ? `The run failed: ${failure}. Try other settings.`
              : done
                ? `All ${SEEDS} repeats are done.`
                : `${cells.length} of ${total} runs are done.`}
          </p>
        </div>
      </Card>
      <Card
        id="curves"
        title={sentenceOf(gained, played)}
        note="What was lost so far against always choosing best, mean of the repeats ± two standard errors; less is better. Faint: before the last change."
      >
        {cells.length === 0 && ghosts.length === 0 && failure === null ? (
          <p role="status">The first curves appear in a moment.</p>
        ) : null}
        <LineChart
          label="Regret by policy"
          x="count"
          xLabel="decisions"
          xFormat={whole}
          yFormat={figure}
          yLabel={`lost so far, ${UNITS[played.scenario]}`}
          yMin={0}
          height={420}
          lines={[...(done ? [] : linesOf(ghosts, true)), ...linesOf(cells, false)]}
        />
        <p className="small quiet">
          Nobody who does not know the missing values can stay below the dotted line. The one that is told every value
          can.
        </p>
      </Card>
    </div>
  )
}

/** As they stand in the end, usually: the best last, on top. */
const SHOWN = ['complete-case', 'zero-fill', 'primo', 'primo-cal', 'sees-all-values', 'robust'] as const

function linesOf(cells: readonly PlayedCell[], ghost: boolean) {
  const of = (policy: string) => cells.filter((cell) => cell.policy === policy)
  return [
    ...SHOWN.map((policy) => ({
      name: POLICY_NAMES[policy] ?? policy,
      color: policyColor(policy),
      thick: policy === 'robust',
      ghost,
      ...policyDash(policy),
      points: meanCurve(of(policy), ({ regret }) => regret),
    })),
    {
      name: 'best with values missing',
      color: LIMIT_COLOR,
      dash: '1 3',
      ghost,
      points: meanCurve(of('primo'), ({ floor }) => floor).map(({ x, y }) => ({ x, y })),
    },
  ]
}

function sentenceOf(gained: Estimate | null, { scenario, share }: Settings): string {
  if (gained === null) return 'Running'
  const per = `${UNITS[scenario]} per 1,000 decisions`
  if (!isSettled(gained)) return 'No verdict yet: the repeats so far do not agree'
  const value = estimateText({ ...gained, mean: Math.abs(gained.mean) })
  const more = gained.mean > 0 ? 'more' : 'fewer'
  return `With ${percent(share)} of the values unknown, Primo gets ${value} ${more} ${per} than the uncorrected model`
}
