// The function classes that are tried, from the simplest on. Linear models and trees are cross-validated on all rows; the others, which cost
// more, on a sample first, and on all rows only where they are the best there.

import type { ClassOptions, TrainedModel } from '@primo/core'

/** Names of the classes that training tries. */
export const TRAINING_CLASSES = ['linear', 'spline', 'trees', 'kernel', 'network'] as const
/** A class that training tries. */
export type TrainingClass = (typeof TRAINING_CLASSES)[number]

export interface Candidate {
  /** As the card names it. */
  readonly name: string
  readonly kind: TrainingClass
  readonly options: ClassOptions
  readonly columns: TrainedModel['columns']
  /** Tried on a sample first. */
  readonly costly: boolean
}

/** More rows than this need no second kind of trees. */
const MANY_ROWS = 200_000
/** Classes of smooth functions of so many columns say little and cost much. */
const MAX_SMOOTH_COLUMNS = 60

export function candidateClasses(classes: readonly TrainingClass[], rows: number, width: number): readonly Candidate[] {
  const all: Candidate[] = [
    ...[1, 30].map(
      (ridge): Candidate => ({
        name: `linear (ridge ${ridge})`,
        kind: 'linear',
        options: { kind: 'linear', ridge },
        columns: 'indicators',
        costly: false,
      }),
    ),
    { name: 'spline', kind: 'spline', options: { kind: 'spline' }, columns: 'indicators', costly: true },
    {
      name: 'trees (31 leaves)',
      kind: 'trees',
      options: { kind: 'trees', rounds: 200 },
      columns: 'native',
      costly: false,
    },
    { name: 'kernel', kind: 'kernel', options: { kind: 'kernel' }, columns: 'indicators', costly: true },
    { name: 'network', kind: 'network', options: { kind: 'network' }, columns: 'indicators', costly: true },
  ]
  if (rows <= MANY_ROWS)
    all.push({
      name: 'trees (6 leaves)',
      kind: 'trees',
      options: { kind: 'trees', leaves: 6, rate: 0.08, rounds: 400, stop: { patience: 20 } },
      columns: 'native',
      costly: false,
    })
  return all.filter(({ kind, costly }) => classes.includes(kind) && (!costly || width <= MAX_SMOOTH_COLUMNS))
}
