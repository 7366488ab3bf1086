// Tables of a study: a row per place or per world, columns made of figures.

import { formatEstimate, formatFixed } from '@primo/lab'
import type { StudyTable } from '@primo/lab/node'
import type { Found, Place } from './found.js'
import { effectText, pairedEffect, shareText } from './statistics.js'
import type { Size, World } from './study-spec.js'

export interface Column {
  readonly header: string
  readonly cell: (place: Place) => string
}

export function column(header: string, cell: Column['cell']): Column {
  return { header, cell }
}

export const world: Column = column('world', (place) => place.world)
export const arm: Column = column('policy', (place) => place.arm)

/** Mean and standard error in two columns. */
export function mean(figure: string, decimals = 0, header = figure): readonly Column[] {
  return [
    column(header, (place) => formatFixed(place.mean(figure).mean, decimals)),
    column('se', (place) => formatFixed(place.mean(figure).standardError, decimals === 0 ? 1 : decimals)),
  ]
}

/** '2,272 ± 6'. */
export function estimate(figure: string, header = figure): Column {
  return column(header, (place) => (place.values(figure).length === 0 ? '-' : formatEstimate(place.mean(figure))))
}

/** A mean without its error: a share, say. */
export function figure(name: string, decimals = 3, header = name): Column {
  return column(header, (place) => {
    const values = place.values(name)
    return values.length === 0 ? '-' : formatFixed(place.mean(name).mean, decimals)
  })
}

/** The difference from another arm in the same world, with its interval and as a share of it. */
export function against(name: string, other: string, header = `less ${other} [95%]`): readonly Column[] {
  const of = (place: Place) =>
    place.arm === other ? null : pairedEffect(place.values(name), place.values(name, other))
  const text = (format: typeof effectText) => (place: Place) => {
    const effect = of(place)
    return effect === null ? '' : format(effect)
  }
  return [
    column(header, text(effectText)),
    column('share', text(shareText)),
    column(
      'wins',
      text(({ smaller, worlds }) => `${smaller} of ${worlds}`),
    ),
  ]
}

export function table(title: string, places: readonly Place[], columns: readonly Column[]): StudyTable {
  return {
    title,
    header: columns.map(({ header }) => header),
    rows: places.map((place) => columns.map(({ cell }) => cell(place))),
  }
}

/** Worlds as rows, arms as columns. */
export function crossTable<W extends World, S extends Size>(
  title: string,
  found: Found<W, S>,
  cell: (place: Place) => string,
  { first = 'world', arms = found.arms() }: { readonly first?: string; readonly arms?: readonly string[] } = {},
): StudyTable {
  return {
    title,
    header: [first, ...arms],
    rows: found.worlds.map(({ name }) => [
      name,
      ...arms.map((one) => (found.arms(name).includes(one) ? cell(found.place(name, one)) : '')),
    ]),
  }
}

/** '16,384 rounds, 5 repeats'. */
export function sizeText({ rounds, repeats }: Size): string {
  const each = `${repeats.toLocaleString('en')} repeats`
  return rounds === undefined ? each : `${rounds.toLocaleString('en')} rounds, ${each}`
}
