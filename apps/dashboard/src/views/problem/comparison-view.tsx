// The one picture: what each way of deciding lost so far against always choosing right, all on the same decisions.

import type { Comparison } from '@primo/contract'
import { LIMIT_COLOR, policyColor } from '../../charts/colours.js'
import { LineChart } from '../../charts/line-chart.js'
import { figure, whole } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { inWords } from './verdict.js'

/** As a person calls them who has not read the paper. */
const NAMES: Readonly<Record<string, string>> = {
  robust: 'Primo (live)',
  uncorrected: 'uncorrected model',
  'zero-fill': 'missing taken as zero',
  'sees-all-values': 'Primo told every value',
}

const STYLE: Readonly<Record<string, { readonly dash?: string }>> = { 'sees-all-values': { dash: '6 3' } }

export function ComparisonView({ comparison }: { readonly comparison: Comparison }) {
  const { problem, covariate, unit, curves, floor, rounds } = comparison
  const uniform = curves.find(({ policy }) => policy === 'uniform')?.points.at(-1)
  const points = (values: Comparison['floor']) => values.map(({ rounds: x, value: y }) => ({ x, y }))
  const missing = inWords(covariate)
  const last = (values: Comparison['floor'] | undefined) => values?.at(-1)?.value ?? 0
  const below = last(curves.find(({ policy }) => policy === 'sees-all-values')?.points) < last(floor)
  return (
    <Card
      id={`${problem}-picture`}
      wide
      title={`${unit.charAt(0).toUpperCase()}${unit.slice(1)} lost so far, by way of deciding`}
      note={`Lower is better. All of them decide the same ${whole(rounds)} cases and get their rewards as late as Primo does.`}
    >
      <LineChart
        label={`${unit} lost after ${whole(rounds)} decisions: ${curves.map(({ policy, points: all }) => `${NAMES[policy] ?? policy} ${figure(all.at(-1)?.value ?? 0)}`).join(', ')}, best possible without the missing values ${figure(floor.at(-1)?.value ?? 0)}`}
        x="count"
        xLabel="decisions"
        xFormat={whole}
        yFormat={figure}
        yLabel={`${unit} lost`}
        yMin={0}
        height={300}
        lines={[
          // Choosing at random would flatten the others: it is in the text below.
          ...curves
            .filter(({ policy }) => policy !== 'uniform')
            .map(({ policy, live, points: all }) => ({
              name: NAMES[policy] ?? policy,
              color: policyColor(policy),
              thick: live,
              ...STYLE[policy],
              points: points(all),
            })),
          { name: 'best with values missing', color: LIMIT_COLOR, dash: '1 3', points: points(floor) },
        ]}
      />
      <p className="quiet small">
        The dotted line knows what pays from the start but not what is missing: nobody who does not know {missing} can
        do better. “Primo told every value” knows {missing} but still has to learn what pays, so it starts above the
        dotted line {below ? 'and is below it by now' : 'and can fall below it later'}. Choosing at random would have
        lost {figure(uniform?.value ?? 0)}.
      </p>
    </Card>
  )
}
