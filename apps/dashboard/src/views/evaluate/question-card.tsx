// Which policies, and over which period.

import type { ProblemInfo } from '@primo/contract'
import type { ReactNode } from 'react'
import { Card } from '../../components/card.js'
import { CutName } from '../../components/cut-name.js'
import { Field } from '../../components/field.js'
import type { EvaluationForm } from './evaluation-form.js'
import { learntPolicies, policyWords } from './policy-words.js'

interface QuestionCardProps {
  readonly info: ProblemInfo
  readonly form: EvaluationForm
  readonly onChange: (change: Partial<EvaluationForm>) => void
  readonly buttons: ReactNode
}

const SHOWN_ACTIONS = 24

export function QuestionCard({ info, form, onChange, buttons }: QuestionCardProps) {
  const { actions } = info.definition
  const choices = [...learntPolicies, ...actions.slice(0, SHOWN_ACTIONS).map((action) => `fixed:${action}`)]
  const toggle = (policy: string, on: boolean) =>
    onChange({ policies: on ? [...form.policies, policy] : form.policies.filter((name) => name !== policy) })
  const time = (name: 'from' | 'to', label: string, hint: string) => (
    <Field label={label} hint={hint}>
      {(control) => (
        <input
          {...control}
          className="input"
          type="datetime-local"
          step={1}
          value={form[name]}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <Card
      id="question"
      wide
      title="What would another policy have earned?"
      note="The log has the probability of each action that was played, so that other policies can be judged without playing them."
    >
      <fieldset className="policies">
        <legend>Policies</legend>
        {choices.map((policy) => (
          <label key={policy}>
            <input
              type="checkbox"
              checked={form.policies.includes(policy)}
              onChange={(event) => toggle(policy, event.target.checked)}
            />
            <CutName name={policyWords(policy, info.definition)} longest={40} />
          </label>
        ))}
      </fieldset>
      <div className="row period">
        {time('from', 'From', 'Empty: the newest 100,000 decisions.')}
        {time('to', 'Until', 'Empty: now.')}
      </div>
      <div className="row">{buttons}</div>
    </Card>
  )
}
