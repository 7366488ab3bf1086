// A problem's definition, readable.

import type { ProblemDefinition } from '@primo/contract'
import { duration, percent } from '../../charts/number-format.js'
import { ButtonLink } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { CutName, cutName } from '../../components/cut-name.js'
import { Table } from '../../components/table.js'
import { problemHref } from '../../route.js'

interface DefinitionCardProps {
  readonly problem: string
  readonly definition: ProblemDefinition
}

const MODELS: Readonly<Record<string, string>> = {
  column: 'predicted by your model, sent with the decision',
  constant: 'taken as a fixed value',
  linear: 'predicted by a linear model',
  table: 'looked up in a table',
  trained: 'predicted by a trained model',
  onnx: 'predicted by an ONNX model',
  http: 'predicted by a service',
  llm: 'predicted by a language model',
  module: 'predicted by a module',
  ensemble: 'predicted by several models together',
}

export function DefinitionCard({ problem, definition }: DefinitionCardProps) {
  const { context, covariates, actions, labels = {}, reward, guards, activation, retention } = definition
  const rows = [
    ...Object.entries(context).map(([name, feature]) => ({ name, what: kindOf(feature), missing: 'always known' })),
    ...Object.entries(covariates).map(([name, covariate]) => ({
      name,
      what: kindOf(covariate),
      missing: `may be missing, then ${MODELS[covariate.imputer.kind] ?? covariate.imputer.kind}${
        covariate.audit === undefined
          ? ''
          : `; ${percent(covariate.audit.share ?? covariate.audit.budget ?? 0)} of the true values are asked for later${covariate.audit.budget === undefined ? '' : ', where knowing is worth most'}`
      }`,
    })),
  ]
  return (
    <Card
      id="definition"
      title="What is decided"
      tools={
        <ButtonLink small icon="edit" href={problemHref(problem, 'edit')}>
          Edit
        </ButtonLink>
      }
    >
      <Table
        caption="Features"
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { name: 'value', cell: ({ name }) => <CutName name={name} /> },
          { name: 'type', cell: ({ what }) => what },
          { name: 'when deciding', cell: ({ missing }) => missing },
        ]}
      />
      <p className="small" style={{ marginTop: 8 }}>
        One of {actions.length} actions:{' '}
        {actions
          .slice(0, 12)
          .map((action) => cutName(labels[action] ?? action))
          .join(', ')}
        {actions.length > 12 ? ` and ${actions.length - 12} more` : ''}. The reward is from {reward.min} to {reward.max}
        {reward.window === undefined ? '' : `, reported within ${duration(reward.window.milliseconds)}`}.{' '}
        {guards?.holdout === undefined || guards.baseline === undefined
          ? 'No share of the decisions is kept for comparison.'
          : `${percent(guards.holdout)} of the decisions play “${cutName(guards.baseline)}” for comparison.`}
        {guards?.floor === undefined ? '' : ` Every action keeps a probability of at least ${percent(guards.floor)}.`}
        {activation === 'explicit' ? ' A decision counts once it is activated.' : ''}
        {retention === undefined ? '' : ` Decisions are kept for ${retention.days} days.`}
      </p>
    </Card>
  )
}

function kindOf(feature: ProblemDefinition['context'][string] | ProblemDefinition['covariates'][string]): string {
  if (feature.type === 'number')
    return `number from ${feature.min.toLocaleString('en')} to ${feature.max.toLocaleString('en')}`
  if (feature.type === 'boolean') return 'yes or no'
  const { levels } = feature
  return `one of ${levels.slice(0, 4).join(', ')}${levels.length > 4 ? ` and ${levels.length - 4} more` : ''}`
}
