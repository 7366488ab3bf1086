// One value of a request: a number inside its range, a level, or yes and no.

import type { FeatureValueType } from '@primo/contract'
import { useState } from 'react'
import { cutName } from '../../components/cut-name.js'
import { Field } from '../../components/field.js'
import { Select } from '../../components/select.js'
import { fits, type TriedFeature } from './try-values.js'

interface FeatureFieldProps {
  readonly name: string
  readonly feature: TriedFeature
  readonly value: FeatureValueType
  readonly onChange: (value: FeatureValueType) => void
}

export function FeatureField({ name, feature, value, onChange }: FeatureFieldProps) {
  if (feature.type === 'number')
    return <NumberField name={name} feature={feature} value={value as number} onChange={onChange} />
  const choices =
    feature.type === 'boolean'
      ? ([
          ['false', 'no'],
          ['true', 'yes'],
        ] as const)
      : feature.levels.map((level) => [level, cutName(level)] as const)
  return (
    <Field label={name}>
      {(control) => (
        <Select
          {...control}
          choices={choices}
          value={String(value)}
          onChange={(chosen) => onChange(feature.type === 'boolean' ? chosen === 'true' : chosen)}
        />
      )}
    </Field>
  )
}

interface NumberFieldProps extends FeatureFieldProps {
  readonly feature: Extract<TriedFeature, { readonly type: 'number' }>
  readonly value: number
}

function NumberField({ name, feature, value, onChange }: NumberFieldProps) {
  // What is typed may be no number yet.
  const [text, setText] = useState(String(value))
  const typed = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isNaN(typed) && fits(feature, typed) && typed !== value) setText(String(value))
  const range = `${feature.min} to ${feature.max}`
  return (
    <Field label={name} hint={range} error={fits(feature, typed) ? null : `must be a number from ${range}`}>
      {(control) => (
        <input
          {...control}
          type="number"
          step="any"
          min={feature.min}
          max={feature.max}
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            const next = target.value.trim() === '' ? Number.NaN : Number(target.value)
            if (fits(feature, next)) onChange(next)
          }}
        />
      )}
    </Field>
  )
}
