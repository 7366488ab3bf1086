// What was found when a store was checked, for a person.

import type { Verified } from '@primo/service'
import { print } from './output.js'

const MAX_LINES = 50

export function showVerified({ damage, otherVersion, beyond, ...verified }: Verified): void {
  print(`problems     ${verified.problems}`)
  print(`rows         ${verified.rows}`)
  print(`decisions    ${verified.decisions}, ${verified.propensities} decided again`)
  print(`policies     ${verified.policies} learnt again`)
  for (const policy of otherVersion) print(`  ${policy}: fitted by another version of Primo`)
  for (const policy of beyond) print(`  ${policy}: retention has removed rounds of it, or they were forgotten`)
  print(`damaged      ${damage.length}`)
  for (const { problem, detail } of damage.slice(0, MAX_LINES))
    print(`  ${problem === null ? '' : `${problem}: `}${detail}`)
  if (damage.length > MAX_LINES) print(`  and ${damage.length - MAX_LINES} more (--json lists all)`)
}
