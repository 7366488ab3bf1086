// What is said of propensities that do not describe what was played.

import { chanceOf, type PropensityCalibration } from './calibration-test.js'
import { count, FALSE_ALARM, failure, type LogFinding, listed, ok, percent, warning } from './log-finding.js'
import type { PlayedAgainstExpected } from './propensity-ranges.js'

/** A rate that is off by more is a failure, by less a warning. */
const MAX_DEVIATION = 0.1
const SURE = 1e-6

export function calibrationFindings(report: PropensityCalibration): readonly LogFinding[] {
  const { actions, ranges, features, tests, complete, partial } = report
  if (tests === 0) return [ok('calibration', 'Not looked at: too few propensities are known.')]
  const wrong = <T extends { readonly z: number | null }>(list: readonly T[]) =>
    list
      .filter(({ z }) => z !== null && chanceOf(z, tests) < FALSE_ALARM)
      .sort((a, b) => Math.abs(b.z!) - Math.abs(a.z!))
  const byAction = wrong(actions)
  const byRange = wrong(ranges)
  const byFeature = wrong(features)
  const says: string[] = []
  if (byAction.length > 0)
    says.push(`Actions are not played as often as their propensities say: ${listed(byAction.map(said))}.`)
  if (byRange.length > 0)
    says.push(
      `By size of propensity: ${listed(byRange.map((one) => `${one.name}: ${said({ ...one, name: 'actions' })}`))}.`,
    )
  if (byFeature.length > 0 && byAction.length + byRange.length === 0)
    says.push(
      `On average they are right, but not along ${listed(byFeature.map(({ name, action, z }) => `${name} (${action}, z = ${z.toFixed(1)})`))}.`,
    )
  if (says.length === 0) {
    const how = partial === 0 ? 'action, size of propensity and feature' : 'action and feature'
    return [
      ok('calibration', `What was played agrees with the propensities of ${count(complete + partial)}, by ${how}.`),
    ]
  }
  const worst = [...byAction, ...byRange, ...byFeature]
  const large = worst.some(({ z, deviation }) => Math.abs(deviation) > MAX_DEVIATION && chanceOf(z!, tests) < SURE)
  const advice = [
    'Log the probability of the whole procedure (after floors, filters and overrides) when it draws; do not evaluate by these weights before.',
    ...(byFeature.length > 0 ? ['A feature that was written after the decision also shows here.'] : []),
    ...(partial > 0 ? ['So does an action that was not possible in some rows: log `eligible`.'] : []),
  ].join(' ')
  return [(large ? failure : warning)('calibration', says.join(' '), advice)]
}

function said({ name, played, expected, z, deviation }: PlayedAgainstExpected): string {
  const times = `${name} played ${count(played, 'time')}`
  if (expected === null)
    return `${times}, ${percent(Math.abs(deviation))} ${deviation > 0 ? 'more' : 'less'} than they say (z = ${z!.toFixed(1)})`
  return `${times}, expected ${Math.round(expected).toLocaleString('en')} (z = ${z!.toFixed(1)})`
}
