// The one picture: cumulative regret of all policies on the same stream beside the unavoidable one, the models' errors by
// epoch, and one sentence.

import type { ComparedEstimate, Comparison } from '@primo/contract'
import { LineChart } from '../charts/line-chart.js'
import { figure, whole } from '../charts/number-format.js'

const STYLE: Readonly<Record<string, { readonly dash?: string }>> = {
  uniform: { dash: '2 3' },
  'sees-all-values': { dash: '6 3' },
}

const NAMES: Readonly<Record<string, string>> = {
  robust: 'robust (live)',
  primo: 'PRIMO',
  'primo-cal': 'PRIMO-Cal',
  'zero-fill': 'zero fill',
  'sees-all-values': 'sees all values',
}

export function ComparisonView({ comparison }: { readonly comparison: Comparison }) {
  const { problem, covariate, unit, curves, floor, errors, best, perThousand, settled, rounds } = comparison
  const uniform = curves.find(({ policy }) => policy === 'uniform')?.points.at(-1)
  const points = (values: Comparison['floor']) => values.map(({ rounds: x, value: y }) => ({ x, y }))
  return (
    <section className="card wide" aria-labelledby={`${problem}-picture`}>
      <div className="row spread">
        <h2 id={`${problem}-picture`}>
          <a href={`#/problems/${problem}`}>{problem}</a>: what missing {covariate} costs and what calibration earns
        </h2>
        <span className="quiet small">{whole(rounds)} decisions on one stream</span>
      </div>
      <Sentence comparison={comparison} />
      <LineChart
        label={`Cumulative regret by policy after ${whole(rounds)} decisions: ${curves.map(({ policy, points: all }) => `${policy} ${figure(all.at(-1)?.value ?? 0)}`).join(', ')}, best possible without the missing values ${figure(floor.at(-1)?.value ?? 0)}`}
        x="count"
        xLabel="decisions"
        xFormat={whole}
        yFormat={figure}
        yLabel={`cumulative regret in ${unit}; less is better`}
        yMin={0}
        height={300}
        lines={[
          // Uniform play would flatten the others: it is in the text below.
          ...curves
            .filter(({ policy }) => policy !== 'uniform')
            .map(({ policy, live, points: all }) => ({
              name: NAMES[policy] ?? policy,
              color: `var(--c-${policy})`,
              thick: live,
              ...STYLE[policy],
              points: points(all),
            })),
          { name: 'best possible without them', color: 'var(--c-floor)', dash: '1 3', points: points(floor) },
        ]}
      />
      <p className="quiet small">
        Uniform play would stand at {figure(uniform?.value ?? 0)}. Without the missing values nobody can do better than
        the dotted line.{' '}
        {settled === null
          ? 'Whether PRIMO-Cal beats PRIMO here is not settled yet.'
          : `Since decision ${whole(settled.rounds)}${settled.seconds === null ? '' : ` (${figure(settled.seconds)} s)`} the 95% interval of PRIMO minus PRIMO-Cal excludes zero: calibration ${perThousand.recovered.mean > 0 ? 'earns' : 'costs'}.`}
      </p>
      {errors.length < 2 ? null : (
        <>
          <h3>Calibration brings the error on missing {covariate} towards the best possible</h3>
          <LineChart
            label="Error of the pre-trained and of the calibrated model by epoch"
            x="number"
            xLabel="epoch of PRIMO-Cal"
            xFormat={(epoch) => (Number.isInteger(epoch) ? String(epoch) : '')}
            yFormat={figure}
            yLabel={`root mean square error, ${comparison.covariateUnit}`}
            yMin={0}
            height={170}
            lines={[
              {
                name: 'g̃ pre-trained',
                color: 'var(--c-primo)',
                dots: true,
                points: errors.map(({ epoch, pretrained }) => ({ x: epoch, y: pretrained })),
              },
              {
                name: 'ĝ calibrated',
                color: 'var(--c-primo-cal)',
                dots: true,
                thick: true,
                points: errors.map(({ epoch, calibrated }) => ({ x: epoch, y: calibrated })),
              },
              ...(best === null
                ? []
                : [
                    {
                      name: 'best possible',
                      color: 'var(--c-floor)',
                      dash: '1 3',
                      points: errors.map(({ epoch }) => ({ x: epoch, y: best })),
                    },
                  ]),
            ]}
          />
        </>
      )}
    </section>
  )
}

function Sentence({ comparison }: { readonly comparison: Comparison }) {
  const { unit, covariate, perThousand } = comparison
  const { cost, recovered, live, unavoidable } = perThousand
  return (
    <p className="sentence">
      Per 1,000 decisions, missing values cost <Value estimate={cost} /> {unit} with the pre-trained model as it is;
      calibration recovered <Value estimate={recovered} />, the live service <Value estimate={live} />;{' '}
      <b>{figure(unavoidable)}</b> is unavoidable without seeing {covariate}.
    </p>
  )
}

function Value({ estimate: { mean, low, high } }: { readonly estimate: ComparedEstimate }) {
  return (
    <span>
      <b>{figure(mean)}</b>{' '}
      <span className="quiet small">
        [{figure(low)}, {figure(high)}]
      </span>
    </span>
  )
}
