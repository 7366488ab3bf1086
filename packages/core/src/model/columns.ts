// The columns of the default's models. A column is a product of inputs, each in units of what was seen: u = (value - centre) * scale.
// Columns come in groups; a group has one prior variance and is left out as a whole.

/** How an input is centred and scaled; scale 0: it does not vary, and its columns are 0. */
export interface Unit {
  readonly centre: number
  readonly scale: number
}

/** One column: the product of some inputs (none: the constant). */
export interface Term {
  readonly inputs: readonly number[]
  /** The column is 0 unless this covariate is missing. */
  readonly gate?: number
  /** Subtracted: 1 for squares, so that their mean is 0. */
  readonly minus?: number
  /** The squared input is this covariate: where it is missing, the variance of its imputation is added. */
  readonly spread?: number
}

export interface Group {
  readonly name: string
  /** Part of the variance that the group is expected to explain before anything is known. */
  readonly share: number
  readonly terms: readonly Term[]
}

/** Columns in groups, and the units of their inputs. */
export interface ModelColumns {
  readonly units: readonly Unit[]
  readonly groups: readonly Group[]
}

/** Number of columns of these groups. */
export function columnCount({ groups }: Pick<ModelColumns, 'groups'>): number {
  return groups.reduce((sum, { terms }) => sum + terms.length, 0)
}

/** Cells that the Gram matrices of all actions may fill. */
const MAX_CELLS = 2 ** 19

/** The groups that fit: the last ones go first. */
export function groupsThatFit(groups: readonly Group[], actions: number): readonly Group[] {
  const filled = groups.filter(({ terms }) => terms.length > 0)
  const most = Math.sqrt(MAX_CELLS / actions) - 1
  while (filled.length > 2 && columnCount({ groups: filled }) > most) filled.pop()
  return filled
}

/**
 * Writes the columns of one row to out[to ...]. `raw` has the inputs as they are and room for one more number; `missing` is 1 and
 * `spread` the variance of the imputation where a covariate is missing, both 0 elsewhere.
 */
export type ColumnWriter = (
  raw: Float64Array,
  missing: Float64Array,
  spread: Float64Array,
  out: Float64Array,
  to: number,
) => void

export function compileColumns({ units, groups }: ModelColumns): ColumnWriter {
  const terms = groups.flatMap((group) => group.terms)
  const inputs = units.length
  const centres = Float64Array.from(units, ({ centre }) => centre)
  const scales = Float64Array.from(units, ({ scale }) => scale)
  // Place `inputs` holds 1.
  const factor = (k: number) => Int32Array.from(terms, (term) => term.inputs[k] ?? inputs)
  const first = factor(0)
  const second = factor(1)
  const placesOf = (wanted: (term: Term) => boolean) =>
    Int32Array.from(terms.flatMap((term, place) => (wanted(term) ? [place] : [])))
  const cubes = placesOf((term) => term.inputs.length === 3)
  const third = Int32Array.from(cubes, (place) => terms[place]!.inputs[2]!)
  const gated = placesOf(({ gate }) => gate !== undefined)
  const gates = Int32Array.from(gated, (place) => terms[place]!.gate!)
  const lowered = placesOf(({ minus }) => minus !== undefined)
  const minus = Float64Array.from(lowered, (place) => terms[place]!.minus!)
  const widened = placesOf(({ spread }) => spread !== undefined)
  const owners = Int32Array.from(widened, (place) => terms[place]!.spread!)
  const squared = Float64Array.from(widened, (place) => scales[terms[place]!.inputs[0]!]! ** 2)
  return (raw, missing, spread, out, to) => {
    for (let k = 0; k < inputs; k++) raw[k] = (raw[k]! - centres[k]!) * scales[k]!
    raw[inputs] = 1
    for (let k = 0; k < first.length; k++) out[to + k] = raw[first[k]!]! * raw[second[k]!]!
    for (let k = 0; k < cubes.length; k++) out[to + cubes[k]!] = out[to + cubes[k]!]! * raw[third[k]!]!
    for (let k = 0; k < gated.length; k++) out[to + gated[k]!] = out[to + gated[k]!]! * missing[gates[k]!]!
    for (let k = 0; k < lowered.length; k++) out[to + lowered[k]!] = out[to + lowered[k]!]! - minus[k]!
    for (let k = 0; k < widened.length; k++) {
      out[to + widened[k]!] = out[to + widened[k]!]! + spread[owners[k]!]! * squared[k]!
    }
  }
}
