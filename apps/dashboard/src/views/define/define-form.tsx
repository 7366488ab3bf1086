// A problem as a form: what is known, what may be missing, what can be done, what it earns.

import { Button } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { Field } from '../../components/field.js'
import { Select } from '../../components/select.js'
import { actionsOf, type Draft, newCovariate, newFeature } from './draft.js'
import { Bound, CovariateRow, FeatureRow } from './feature-rows.js'

interface DefineFormProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  /** Whether the problem has its name already. */
  readonly named: boolean
}

export function DefineForm({ draft, onChange, named }: DefineFormProps) {
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change })
  const replace = <T extends { readonly key: number }>(rows: readonly T[], next: T): T[] =>
    rows.map((row) => (row.key === next.key ? next : row))
  const remove = <T extends { readonly key: number }>(rows: readonly T[], { key }: T): T[] =>
    rows.filter((row) => row.key !== key)
  const { context, covariates } = draft
  const actions = actionsOf(draft)
  return (
    <>
      {named ? null : (
        <Card id="name" title="Name">
          <Field label="Name of the problem" hint="Letters, digits, “_”, “.” and “-”; programs use it.">
            {(control) => (
              <input
                type="text"
                {...control}
                value={draft.name}
                maxLength={64}
                onChange={(event) => set({ name: event.target.value.trim() })}
              />
            )}
          </Field>
        </Card>
      )}
      <Card id="context" title="Always known" note="What you know about every case when you decide.">
        {context.map((feature) => (
          <FeatureRow
            key={feature.key}
            feature={feature}
            onChange={(next) => set({ context: replace(context, next) })}
            onRemove={() => set({ context: remove(context, feature) })}
          />
        ))}
        <p>
          <Button small icon="plus" onClick={() => set({ context: [...context, newFeature()] })}>
            Add a feature
          </Button>
        </p>
      </Card>
      <Card id="covariates" title="May be missing" note="Values that are sometimes unknown when the decision is due.">
        {covariates.map((covariate) => (
          <CovariateRow
            key={covariate.key}
            covariate={covariate}
            onChange={(next) => set({ covariates: replace(covariates, next) })}
            onRemove={() => set({ covariates: remove(covariates, covariate) })}
          />
        ))}
        <p>
          <Button small icon="plus" onClick={() => set({ covariates: [...covariates, newCovariate()] })}>
            Add a value that may be missing
          </Button>
        </p>
      </Card>
      <Card id="actions-and-reward" title="Actions and reward">
        <div className="stack">
          <Field label="Actions, one per line" hint="Each decision chooses one of them.">
            {(control) => (
              <textarea
                rows={4}
                {...control}
                value={draft.actions}
                onChange={(event) => set({ actions: event.target.value })}
              />
            )}
          </Field>
          <div className="row">
            <Bound label="Smallest reward" value={draft.rewardMin} onChange={(rewardMin) => set({ rewardMin })} />
            <Bound label="Largest reward" value={draft.rewardMax} onChange={(rewardMax) => set({ rewardMax })} />
            <Field label="What is done today">
              {({ id }) => (
                <Select
                  id={id}
                  choices={[['', 'no comparison'], ...actions.map((action) => [action, `always ${action}`] as const)]}
                  value={actions.includes(draft.baseline) ? draft.baseline : ''}
                  onChange={(baseline) => set({ baseline })}
                />
              )}
            </Field>
            {draft.baseline === '' ? null : (
              <Bound
                label="Keep it for comparison, % of decisions"
                value={draft.holdout}
                onChange={(holdout) => set({ holdout })}
              />
            )}
          </div>
        </div>
      </Card>
    </>
  )
}
