// What the list is narrowed to. Each choice stands in the address.

import type { ProblemInfo, ProblemSummary } from '@primo/contract'
import { Button } from '../../components/button.js'
import { cutName } from '../../components/cut-name.js'
import { Field } from '../../components/field.js'
import { Select } from '../../components/select.js'
import { REWARD_WORDS, sourceWords } from './decision-words.js'
import { type Filter, type FilterName, filterNames } from './filter-query.js'

interface FilterBarProps {
  readonly info: ProblemInfo
  readonly summary: ProblemSummary
  readonly filter: Filter
  readonly onChange: (change: Filter) => void
}

type Choices = readonly (readonly [string, string])[]

export function FilterBar({ info, summary, filter, onChange }: FilterBarProps) {
  const { actions, labels = {} } = info.definition
  const covariates = Object.keys(summary.covariates)
  const sources = [...new Set(Object.values(summary.covariates).flatMap(({ rungs }) => Object.keys(rungs)))]
  const choice = (name: FilterName, label: string, any: string, choices: Choices) => (
    <Field label={label}>
      {(control) => (
        <Select
          {...control}
          choices={[['', any], ...choices]}
          value={filter[name] ?? ''}
          onChange={(value) => onChange({ [name]: value })}
        />
      )}
    </Field>
  )
  const time = (name: 'from' | 'to', label: string) => (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          className="input"
          type="datetime-local"
          step={1}
          value={filter[name] ?? ''}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
  const narrowed = filterNames.some((name) => filter[name] !== undefined)
  return (
    <fieldset className="filters" aria-label="Filters">
      {choice(
        'action',
        'Action',
        'any',
        actions.map((action) => [action, cutName(labels[action] ?? action)]),
      )}
      {choice('missing', 'Missing', 'any', [
        ['none', 'nothing'],
        ['any', 'something'],
        ...covariates.map((name) => [name, cutName(name)] as const),
      ])}
      {choice(
        'source',
        'Value from',
        'any',
        sources.map((source) => [source, sourceWords(source)]),
      )}
      {choice('holdout', 'Holdout', 'any', [
        ['true', 'yes'],
        ['false', 'no'],
      ])}
      {choice('status', 'Reward', 'any', Object.entries(REWARD_WORDS))}
      {time('from', 'From')}
      {time('to', 'Until')}
      {narrowed ? (
        <Button
          kind="quiet"
          icon="close"
          onClick={() => onChange(Object.fromEntries(filterNames.map((name) => [name, ''])))}
        >
          Clear
        </Button>
      ) : null}
    </fieldset>
  )
}
