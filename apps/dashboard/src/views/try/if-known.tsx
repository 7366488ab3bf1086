// What if a missing value were known: a slider over its range, and how the probabilities change along it.

import type { CovariateReply, FeatureValueType, ProblemDefinition } from '@primo/contract'
import { actionColor } from '../../charts/colours.js'
import { LineChart, type Mark } from '../../charts/line-chart.js'
import { figure, percent } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { Segments } from '../../components/tabs.js'
import type { TriedPoint } from './use-try.js'

interface IfKnownProps {
  readonly name: string
  readonly definition: ProblemDefinition
  readonly points: readonly TriedPoint[]
  readonly use: CovariateReply | undefined
  /** The place that is supposed; null: none is. */
  readonly at: number | null
  readonly onAt: (at: number | null) => void
}

export function IfKnown({ name, definition, points, use, at, onAt }: IfKnownProps) {
  const { actions, labels = {} } = definition
  const numeric = points.every(({ value }) => typeof value === 'number')
  const shown = at ?? Math.floor(points.length / 2)
  const value = points[Math.min(shown, points.length - 1)]!.value
  return (
    <Card id={`known-${name}`} title={`What if ${name} were known?`} note={usedSentence(name, use)}>
      {numeric ? (
        <label className="try-slider">
          <span>
            {name} <b>{at === null ? 'not known' : valueText(value)}</b>
          </span>
          <input
            type="range"
            min={0}
            max={points.length - 1}
            step={1}
            value={shown}
            aria-label={`What if ${name} were`}
            aria-valuetext={valueText(value)}
            onChange={({ target }) => onAt(Number(target.value))}
          />
        </label>
      ) : (
        <Segments
          label={`What if ${name} were`}
          choices={[['', 'not known'], ...points.map((point, k) => [String(k), valueText(point.value)] as const)]}
          value={at === null ? '' : String(at)}
          onChange={(chosen) => onAt(chosen === '' ? null : Number(chosen))}
        />
      )}
      {numeric ? (
        <LineChart
          label={`Probability of each action if ${name} were known`}
          x="number"
          axis={name}
          xLabel={name}
          xFormat={figure}
          yFormat={percent}
          yLabel="probability, if known"
          yMin={0}
          yMax={1}
          marks={[...usedMark(use), ...(at === null ? [] : [{ x: value as number, label: 'if known' }])]}
          lines={actions
            .map((action, index) => ({ action, color: actionColor(index) }))
            .filter(({ action }) => points[0]?.reply.ranking.some((one) => one.action === action))
            .map(({ action, color }) => ({
              name: labels[action] ?? action,
              color,
              points: points.map((point) => ({ x: point.value as number, y: probabilityOf(point, action) })),
            }))}
        />
      ) : null}
    </Card>
  )
}

function probabilityOf({ reply }: TriedPoint, action: string): number | null {
  return reply.ranking.find((one) => one.action === action)?.propensity ?? null
}

function usedMark(use: CovariateReply | undefined): Mark[] {
  return typeof use?.value === 'number' ? [{ x: use.value, label: 'used now' }] : []
}

function usedSentence(name: string, use: CovariateReply | undefined): string {
  if (use === undefined) return `${name} is missing.`
  const value =
    typeof use.value === 'number'
      ? figure(use.value)
      : Object.entries(use.value)
          .map(([level, share]) => `${level} ${percent(share)}`)
          .join(', ')
  const told = `It is missing: ${value} stands in for it (${use.source})`
  return use.sd === undefined
    ? `${told}.`
    : `${told}, give or take ${figure(use.sd)}. The answer above weighs all these values; the curves say what each of them would give.`
}

export function valueText(value: FeatureValueType): string {
  return typeof value === 'number' ? figure(value) : typeof value === 'boolean' ? (value ? 'yes' : 'no') : value
}
