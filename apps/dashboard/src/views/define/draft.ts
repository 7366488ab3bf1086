// A problem as a form holds it: texts that may not be whole yet. What the form does not show of a definition is kept as it is.

import type { ProblemDefinition, WireImputer } from '@primo/contract'

export type Kind = 'number' | 'boolean' | 'category'

/** Where a missing value is predicted: sent with each decision, always the same, by a service, or a model that stays as it is. */
export type Model = 'column' | 'constant' | 'http' | 'kept'

export interface DraftFeature {
  readonly key: number
  readonly name: string
  readonly kind: Kind
  readonly min: string
  readonly max: string
  /** Separated by commas; in quotes where one has a comma. */
  readonly levels: string
  /** What the definition says of it beside these. */
  readonly given: Readonly<Record<string, unknown>>
}

export interface DraftCovariate extends DraftFeature {
  readonly model: Model
  /** Of a constant. */
  readonly value: string
  readonly url: string
}

export interface Draft {
  readonly name: string
  readonly context: readonly DraftFeature[]
  readonly covariates: readonly DraftCovariate[]
  /** One a line. */
  readonly actions: string
  readonly rewardMin: string
  readonly rewardMax: string
  readonly baseline: string
  /** In percent. */
  readonly holdout: string
  readonly given: Partial<ProblemDefinition>
}

let count = 0

export function newFeature(change: Partial<DraftFeature> = {}): DraftFeature {
  return { key: ++count, name: '', kind: 'number', min: '0', max: '1', levels: '', given: {}, ...change }
}

export function newCovariate(change: Partial<DraftCovariate> = {}): DraftCovariate {
  return { ...newFeature(), model: 'column', value: '', url: '', ...change }
}

export function newDraft(change: Partial<Draft> = {}): Draft {
  return {
    name: '',
    context: [newFeature()],
    covariates: [newCovariate()],
    actions: '',
    rewardMin: '0',
    rewardMax: '1',
    baseline: '',
    holdout: '2',
    given: {},
    ...change,
  }
}

export function actionsOf({ actions }: Pick<Draft, 'actions'>): string[] {
  return actions
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

export function levelsOf(text: string): string[] {
  return [...text.matchAll(/\s*(?:"([^"]*)"|([^,"][^,]*))/g)]
    .map(([, quoted, plain]) => quoted ?? plain!.trim())
    .filter((level) => level !== '')
}

export function levelsText(levels: readonly string[]): string {
  return levels.map((level) => (level.includes(',') ? `"${level}"` : level)).join(', ')
}

/** What is wrong is for the service to say. */
export function definitionOf(draft: Draft): ProblemDefinition {
  const { given, baseline, holdout } = draft
  const guards = {
    ...given.guards,
    ...(baseline === '' ? { baseline: undefined, holdout: undefined } : { baseline, holdout: Number(holdout) / 100 }),
  }
  return without({
    ...given,
    context: Object.fromEntries(draft.context.filter(isNamed).map((feature) => [feature.name, featureOf(feature)])),
    covariates: Object.fromEntries(
      draft.covariates
        .filter(isNamed)
        .map((covariate) => [covariate.name, { ...featureOf(covariate), imputer: imputerOf(covariate) }]),
    ),
    actions: actionsOf(draft),
    reward: { ...given.reward, min: Number(draft.rewardMin), max: Number(draft.rewardMax) },
    guards: Object.keys(without(guards)).length === 0 ? undefined : without(guards),
  }) as unknown as ProblemDefinition
}

const isNamed = ({ name }: DraftFeature) => name !== ''

function featureOf({ kind, min, max, levels, given }: DraftFeature): object {
  const { type: _, min: _min, max: _max, levels: _levels, ...rest } = given
  if (kind === 'number') return { type: kind, min: Number(min), max: Number(max), ...rest }
  return kind === 'boolean' ? { type: kind, ...rest } : { type: kind, levels: levelsOf(levels), ...rest }
}

function imputerOf({ model, value, url, kind, levels, given }: DraftCovariate): WireImputer {
  if (model === 'kept') return given.imputer as WireImputer
  if (model === 'column') return { kind: 'column' }
  if (model === 'http') return { kind: 'http', url }
  if (kind === 'number') return { kind: 'constant', value: Number(value) }
  return { kind: 'constant', value: kind === 'boolean' ? value === 'true' : value || (levelsOf(levels)[0] ?? '') }
}

function without<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Partial<T>
}

export function draftOf(name: string, definition: ProblemDefinition): Draft {
  const feature = (key: string, given: Readonly<Record<string, unknown>>): DraftFeature =>
    newFeature({
      name: key,
      kind: given.type as Kind,
      min: String(given.min ?? 0),
      max: String(given.max ?? 1),
      levels: levelsText((given.levels as readonly string[] | undefined) ?? []),
      given,
    })
  const { guards } = definition
  return {
    name,
    context: Object.entries(definition.context).map(([key, given]) => feature(key, given)),
    covariates: Object.entries(definition.covariates).map(([key, given]) => {
      const { imputer } = given
      const model = imputer.kind === 'column' || imputer.kind === 'constant' ? imputer.kind : 'kept'
      return newCovariate({ ...feature(key, given), model, value: String(imputer.value ?? '') })
    }),
    actions: definition.actions.join('\n'),
    rewardMin: String(definition.reward.min),
    rewardMax: String(definition.reward.max),
    baseline: guards?.baseline ?? '',
    holdout: String(100 * (guards?.holdout ?? 0)),
    given: definition,
  }
}
