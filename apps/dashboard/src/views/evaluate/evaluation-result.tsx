// What an evaluation found: a line per policy against what was played, and what to be careful about.

import type { Evaluation, ProblemInfo } from '@primo/contract'
import { useState } from 'react'
import { useWhyNot } from '../../access.js'
import { figure, whole } from '../../charts/number-format.js'
import { Button } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { CutName } from '../../components/cut-name.js'
import { Select } from '../../components/select.js'
import { Table } from '../../components/table.js'
import { say } from '../../components/toast.js'
import { ForestPlot } from './forest-plot.js'
import { policyWords } from './policy-words.js'
import { PromoteDialog } from './promote-dialog.js'
import { type PromotionPlan, planPromotion, promoted } from './promotion.js'

interface EvaluationResultProps {
  readonly problem: string
  readonly info: ProblemInfo
  readonly evaluation: Evaluation
  readonly onPromoted: () => void
}

/** Doubly robust: what it rests on is either the propensities or the reward model. */
const FIRST = 'dr'

const ESTIMATORS: Readonly<Record<string, string>> = {
  dr: 'doubly robust',
  ips: 'by propensities',
  snips: 'by propensities, normalized',
  direct: 'by the reward model',
  'clipped-ips': 'by propensities, clipped',
  'clipped-dr': 'doubly robust, clipped',
  switch: 'doubly robust, switching',
  replay: 'by matching decisions',
}

export function EvaluationResult({ problem, info, evaluation, onPromoted }: EvaluationResultProps) {
  const { rows, level, logged, differences, warnings, leftOut } = evaluation
  const estimators = [...new Set(differences.map(({ estimator }) => estimator))]
  const [chosen, setChosen] = useState(FIRST)
  const estimator = estimators.includes(chosen) ? chosen : (estimators[0] ?? FIRST)
  const [asked, setAsked] = useState<{ readonly policy: string; readonly plan: PromotionPlan } | null>(null)
  const unless = useWhyNot('admin')
  const words = (policy: string) => policyWords(policy, info.definition)
  const shown = differences.filter((one) => one.estimator === estimator)
  const lines = shown.flatMap(({ policy, difference: value, asymptotic }) =>
    asymptotic === null ? [] : [{ name: words(policy), value, low: asymptotic.low, high: asymptotic.high }],
  )
  const better = lines.filter(({ low }) => low > 0)
  const skipped = Object.values(leftOut).reduce((sum, count) => sum + count, 0)
  const plan = async (policy: string) => {
    try {
      setAsked({ policy, plan: await planPromotion(problem, policy) })
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), true)
    }
  }
  return (
    <Card
      id="evaluation"
      wide
      title={
        better.length === 0
          ? lines.length > 0 && lines.every(({ high }) => high < 0)
            ? `What was played earned more than ${lines.length === 1 ? lines[0]!.name : 'each of them'} would have`
            : 'None of them is shown to earn more than what was played'
          : `${better.map(({ name }) => name).join(' and ')} would have earned more than what was played`
      }
      note={`From ${whole(rows)} decisions${skipped > 0 ? ` (${whole(skipped)} left out, such as those without a reward yet)` : ''}; what was played earned ${figure(logged.value)} on average. With ${whole(100 * level)}% intervals.`}
      tools={
        estimators.length < 2 ? null : (
          <Select
            label="Estimator"
            choices={estimators.map((name) => [name, ESTIMATORS[name] ?? name] as const)}
            value={estimator}
            onChange={setChosen}
          />
        )
      }
    >
      {lines.length === 0 ? null : <ForestPlot lines={lines} unit="reward per decision" />}
      <Table
        caption="Policies"
        rows={shown}
        rowKey={({ policy }) => policy}
        columns={[
          {
            name: 'policy',
            cell: ({ policy }) => <CutName name={words(policy)} longest={40} />,
            by: ({ policy }) => policy,
          },
          {
            name: 'against what was played',
            number: true,
            cell: ({ difference }) => `${difference > 0 ? '+' : ''}${figure(difference)}`,
            by: ({ difference }) => difference,
          },
          {
            name: 'interval',
            number: true,
            cell: ({ asymptotic }) =>
              asymptotic === null ? 'not known' : `${figure(asymptotic.low)} to ${figure(asymptotic.high)}`,
          },
          {
            name: 'promote',
            hidden: true,
            cell: ({ policy }) =>
              promoted(info.definition, policy) === null ? null : (
                <Button small unless={unless} onClick={() => void plan(policy)}>
                  Let it decide<span className="hidden">: {words(policy)}</span>
                </Button>
              ),
          },
        ]}
      />
      {warnings.length === 0 ? null : (
        <ul className="small quiet">
          {warnings.map(({ code, sentence }) => (
            <li key={`${code}${sentence}`}>{sentence}</li>
          ))}
        </ul>
      )}
      {asked === null ? null : (
        <PromoteDialog
          problem={problem}
          policy={asked.policy}
          words={words(asked.policy)}
          plan={asked.plan}
          onClose={(changed) => {
            setAsked(null)
            if (changed) onPromoted()
          }}
        />
      )}
    </Card>
  )
}
