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
import { ALWAYS, answersOf, linesOf } from './evaluation-lines.js'
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

export function EvaluationResult({ problem, info, evaluation, onPromoted }: EvaluationResultProps) {
  const { rows, level, logged, anytime, warnings, leftOut } = evaluation
  const answers = answersOf(evaluation)
  const [chosen, setChosen] = useState<string | null>(null)
  const answer = answers.find(([name]) => name === chosen)?.[0] ?? answers[0]?.[0] ?? ''
  const [asked, setAsked] = useState<{
    readonly policy: string
    readonly loss: string | null
    readonly plan: PromotionPlan
  } | null>(null)
  const unless = useWhyNot('admin')
  const words = (policy: string) => policyWords(policy, info.definition)
  const shown = linesOf(evaluation, answer, info.definition.reward)
  const lines = shown.flatMap(({ policy, difference: value, interval, silent }) =>
    interval === null || silent !== null ? [] : [{ name: words(policy), value, ...interval }],
  )
  const better = lines.filter(({ low }) => low > 0)
  const skipped = Object.values(leftOut).reduce((sum, count) => sum + count, 0)
  const plan = async (policy: string, loss: string | null) => {
    try {
      setAsked({ policy, loss, plan: await planPromotion(problem, policy) })
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
      note={`From ${whole(rows)} decisions${skipped > 0 ? ` (${whole(skipped)} left out, such as those without a reward yet)` : ''}; what was played earned ${figure(logged.value)} on average. With ${whole(100 * level)}% intervals${answer === ALWAYS ? ' that hold however often you look' : ''}.`}
      tools={
        answers.length < 2 ? null : <Select label="Answer" choices={answers} value={answer} onChange={setChosen} />
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
            cell: ({ difference, silent }) =>
              silent !== null ? '' : `${difference > 0 ? '+' : ''}${figure(difference)}`,
            by: ({ difference }) => difference,
          },
          {
            name: 'interval',
            number: true,
            cell: ({ interval, silent }) =>
              silent ?? (interval === null ? 'not known' : `${figure(interval.low)} to ${figure(interval.high)}`),
          },
          {
            name: 'promote',
            hidden: true,
            cell: ({ policy, worse, difference }) => {
              if (promoted(info.definition, policy) === null) return null
              const loss = `${words(policy)} would have earned ${figure(-difference)} less per decision than what was played.`
              const button = (
                <Button small unless={unless} onClick={() => void plan(policy, worse ? loss : null)}>
                  Let it decide<span className="hidden">: {words(policy)}</span>
                </Button>
              )
              return worse ? (
                <details className="small quiet">
                  <summary>
                    More<span className="hidden"> about {words(policy)}</span>
                  </summary>
                  {button}
                </details>
              ) : (
                button
              )
            },
          },
        ]}
      />
      {anytime === null || answer !== ALWAYS || anytime.policies.length < 2 ? null : (
        <p className="small quiet">
          {anytime.decidedAfter === null
            ? `These cannot be told apart yet: ${anytime.mayBeBest.map(words).join(', ')}.`
            : `Of these, ${anytime.mayBeBest.map(words).join()} is best; ${whole(anytime.decidedAfter)} decisions were enough to know.`}
        </p>
      )}
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
          loss={asked.loss}
          onClose={(changed) => {
            setAsked(null)
            if (changed) onPromoted()
          }}
        />
      )}
    </Card>
  )
}
