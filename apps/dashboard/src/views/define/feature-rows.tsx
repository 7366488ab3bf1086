// Features of a form, one row each: name, type, range or levels; of a covariate also where a missing value is predicted.

import type { ReactNode } from 'react'
import { IconButton } from '../../components/button.js'
import { Field } from '../../components/field.js'
import { Select } from '../../components/select.js'
import type { DraftCovariate, DraftFeature, Kind, Model } from './draft.js'

const KINDS: readonly (readonly [Kind, string])[] = [
  ['number', 'number'],
  ['boolean', 'yes or no'],
  ['category', 'one of several'],
]

interface FeatureRowProps<T extends DraftFeature> {
  readonly feature: T
  readonly onChange: (feature: T) => void
  readonly onRemove: () => void
  readonly children?: ReactNode
}

export function FeatureRow<T extends DraftFeature>({ feature, onChange, onRemove, children }: FeatureRowProps<T>) {
  const set = (change: Partial<DraftFeature>) => onChange({ ...feature, ...change })
  return (
    <div className="feature-row">
      <Field label="Name">
        {(control) => (
          <input
            type="text"
            {...control}
            value={feature.name}
            maxLength={64}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label="Type">
        {({ id }) => <Select id={id} choices={KINDS} value={feature.kind} onChange={(kind) => set({ kind })} />}
      </Field>
      {feature.kind === 'number' ? (
        <>
          <Bound label="Smallest" value={feature.min} onChange={(min) => set({ min })} />
          <Bound label="Largest" value={feature.max} onChange={(max) => set({ max })} />
        </>
      ) : null}
      {feature.kind === 'category' ? (
        <Field label="Values, with commas between">
          {(control) => (
            <input
              type="text"
              {...control}
              value={feature.levels}
              onChange={(event) => set({ levels: event.target.value })}
            />
          )}
        </Field>
      ) : null}
      {children}
      <div className="remove">
        <IconButton icon="trash" label={`Remove ${feature.name || 'this row'}`} onClick={onRemove} />
      </div>
    </div>
  )
}

interface BoundProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export function Bound({ label, value, onChange }: BoundProps) {
  return (
    <Field label={label}>
      {(control) => (
        <input
          type="text"
          inputMode="decimal"
          size={7}
          {...control}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface CovariateRowProps {
  readonly covariate: DraftCovariate
  readonly onChange: (covariate: DraftCovariate) => void
  readonly onRemove: () => void
}

export function CovariateRow({ covariate, onChange, onRemove }: CovariateRowProps) {
  const { model, given } = covariate
  const kept = (given.imputer as { kind?: string } | undefined)?.kind
  const models: readonly (readonly [Model, string])[] = [
    ['column', 'your model, sent with each decision'],
    ['constant', 'always the same value'],
    ['http', 'a service that is asked'],
    ...(model === 'kept' || (kept !== undefined && kept !== 'column' && kept !== 'constant')
      ? ([['kept', `as it is (${kept})`]] as const)
      : []),
  ]
  return (
    <FeatureRow feature={covariate} onChange={onChange} onRemove={onRemove}>
      <Field label="Where it is missing, predicted by">
        {({ id }) => (
          <Select id={id} choices={models} value={model} onChange={(to) => onChange({ ...covariate, model: to })} />
        )}
      </Field>
      {model === 'constant' ? (
        <Bound label="Value" value={covariate.value} onChange={(value) => onChange({ ...covariate, value })} />
      ) : null}
      {model === 'http' ? (
        <Bound label="Address" value={covariate.url} onChange={(url) => onChange({ ...covariate, url })} />
      ) : null}
    </FeatureRow>
  )
}
