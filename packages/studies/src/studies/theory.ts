// primo study theory: the numeric checks of the theory (method#theory-checks), every figure next to the quoted one.
// Claims that take many repeats are in the studies of the theorems.

import { formatNumber } from '@primo/lab'
import type { Place } from '../runner/found.js'
import { defineStudy } from '../runner/run-study.js'
import { arm, column, estimate, table } from '../runner/tables.js'
import { checks } from '../theory-checks/all-checks.js'
import { holds } from '../theory-checks/check.js'

const value = (place: Place, figure: string, otherwise: number) => place.values(figure)[0] ?? otherwise

function lineOf(place: Place) {
  return {
    measured: value(place, 'measured', Number.NaN),
    low: value(place, 'low', Number.NEGATIVE_INFINITY),
    high: value(place, 'high', Number.POSITIVE_INFINITY),
  }
}

function limitsText(place: Place): string {
  const { low, high } = lineOf(place)
  if (high === Number.POSITIVE_INFINITY) return `>= ${formatNumber(low)}`
  return low === Number.NEGATIVE_INFINITY ? `<= ${formatNumber(high)}` : `${formatNumber(low)} to ${formatNumber(high)}`
}

export const theory = defineStudy({
  name: 'theory',
  title: 'The theory, number by number',
  claim: 'Elasticities, critical radii, the corrected terms and the bounds come out as derived.',
  full: { repeats: 1, quick: 0 },
  quick: { repeats: 1, quick: 1 },
  worlds: () => Object.entries(checks).map(([id, { title }]) => ({ name: id, title })),
  measure: ({ name }, { seed, size }) => {
    const lines = checks[name]!.lines({ seed, quick: size.quick === 1 })
    return Object.fromEntries(
      lines.map(({ name: line, ...figures }) => [
        line,
        Object.fromEntries(Object.entries(figures).filter(([, figure]) => Number.isFinite(figure))),
      ]),
    )
  },
  tables: (found) =>
    found.worlds.map((world) =>
      table(world.title, found.places(undefined, [world]), [
        { ...arm, header: 'figure' },
        column('measured', (place) => formatNumber(value(place, 'measured', Number.NaN), 4)),
        estimate('standardError', 'se'),
        column('must be', limitsText),
      ]),
    ),
  verdicts: (found) =>
    found.worlds.map((world) => {
      const places = found.places(undefined, [world])
      const failed = places.filter((place) => !holds(lineOf(place)))
      const list = failed.map((place) => `${place.arm} is ${lineOf(place).measured} (must be ${limitsText(place)})`)
      return {
        held: failed.length === 0,
        sentence: `${world.title}: ${places.length - failed.length} of ${places.length} figures hold${list.length === 0 ? '' : `; NOT: ${list.join('; ')}`}.`,
      }
    }),
})
