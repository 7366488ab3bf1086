// What each column is likely to be, by its name and by what it holds; a start for the reader to correct. Columns of one name with
// different ends (r0, r1; reward_low, reward_high) are rewards, what is sometimes missing is a covariate, the rest is context.

import type { TableSpec } from '../tables/table-spec.js'
import type { ColumnProfile } from './column-profile.js'
import type { LaterColumns } from './later-columns.js'

export interface SuggestedSpec {
  readonly spec: Partial<TableSpec>
  /** Columns that it leaves out, and why. */
  readonly leftOut: readonly { readonly column: string; readonly why: string }[]
}

const REWARDS = /^(r|rewards?|payoff|outcome|y)[_.\s-]?(\d+|[_.\s-].+)$/i
const MEANS = /^(mu|means?)[_.\s-]?(\d+|[_.\s-].+)$/i
const OBSERVED = /^(b|observed|is_?observed|seen)$/i
const PREDICTION = /^(g|g_?tilde|gtilde|predictions?|predicted|pred|model|imputed)$/i
const INDEX = /(^|[_.\s-])(id|index|key|uuid|row)$|^(id|index)/i

/** `laterOf` finds among the columns that are left those that are no inputs. */
export function suggestSpec(
  profiles: readonly ColumnProfile[],
  laterOf: (left: readonly ColumnProfile[]) => LaterColumns,
): SuggestedSpec {
  const left = new Map(profiles.map((profile) => [profile.name, profile]))
  const take = (names: readonly string[]) => {
    for (const name of names) left.delete(name)
    return names
  }
  const group = (pattern: RegExp) => {
    const found = [...left.values()].filter(
      ({ name, kind, missing }) => pattern.test(name) && (kind === 'number' || kind === 'boolean') && missing === 0,
    )
    return found.length >= 2 ? found.map(({ name }) => name) : []
  }
  const rewards = take(group(REWARDS))
  const means = group(MEANS)
  const taken = means.length === rewards.length ? take(means) : []
  const { decisions, labels, leftOut: later } = laterOf([...left.values()])
  const { action, reward, propensity, after = [] } = decisions
  take([action, reward, ...after].filter((name) => name !== undefined))
  if (typeof propensity === 'string') take([propensity])
  take(later.map(({ column }) => column))
  const leftOut = [...later]
  const leave = (profile: ColumnProfile, why: string) => {
    take([profile.name])
    leftOut.push({ column: profile.name, why })
  }
  for (const profile of [...left.values()]) {
    const why = uselessness(profile)
    if (why !== null) leave(profile, why)
  }
  const named = (pattern: RegExp) => [...left.keys()].find((name) => pattern.test(name))
  const flag = [...left.values()].find(
    ({ name, numbers, missing }) => OBSERVED.test(name) && missing === 0 && numbers?.min === 0 && numbers.max === 1,
  )?.name
  const prediction = named(PREDICTION)
  const missing = [...left.values()].filter((profile) => profile.missing > 0 && profile.name !== prediction)
  // A flag without a missing cell hides values that are there: only its reader knows whose.
  const covariates = missing.map(({ name }) => name)
  const [covariate, ...others] = covariates
  const own = (z: string) =>
    [...left.keys()].find((name) =>
      [`${z}_pred`, `pred_${z}`, `${z}_hat`, `${z}_predicted`, `predicted_${z}`].includes(name),
    )
  const columnsOf = (z: string, alone: boolean) => {
    const predicted = own(z) ?? (alone ? prediction : undefined)
    return {
      covariate: z,
      ...(alone && flag !== undefined ? { observed: flag } : {}),
      ...(predicted === undefined ? {} : { prediction: predicted }),
    }
  }
  const used = covariates.map((z) => columnsOf(z, covariates.length === 1))
  take(used.flatMap((one) => Object.values(one)))
  const dates = [...left.values()].filter(({ kind }) => kind === 'date').map(({ name }) => name)
  return {
    spec: {
      context: [...left.keys()],
      ...(covariate === undefined ? {} : used[0]),
      ...(others.length === 0 ? {} : { others: used.slice(1) }),
      ...(rewards.length === 0 ? {} : { rewards }),
      ...(taken.length === 0 ? {} : { means: taken }),
      ...(dates.length === 0 ? {} : { dates }),
      ...decisions,
      ...(labels === undefined ? {} : { labels }),
    },
    leftOut,
  }
}

/** Why a column can be neither context nor covariate; null: it can. */
function uselessness(profile: ColumnProfile): string | null {
  const { name, kind, rows, missing, different, numbers } = profile
  if (kind === 'empty') return 'it has no values'
  if (kind === 'text') return `it has ${different.toLocaleString('en')} different texts`
  if (different === 1 && missing === 0) return 'it has one value'
  if (kind === 'date' && missing > 0) return 'dates with missing values can be no context'
  if (kind === 'category' && different === rows && rows > 20) return 'every row has a text of its own'
  const whole = numbers !== undefined && Number.isInteger(numbers.min) && numbers.max - numbers.min === rows - 1
  if (whole && different === rows && rows > 20) return 'it numbers the rows'
  return INDEX.test(name) && different > rows / 2 ? 'it looks like a key' : null
}
