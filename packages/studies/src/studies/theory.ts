// primo study theory: the numeric checks of the theory (method#theory-checks) as a study: every figure next to the quoted one.

import type { Study } from '@primo/lab/node'
import { checks } from '../theory-checks/all-checks.js'
import type { Check, CheckLine } from '../theory-checks/check.js'

export const theory: Study = {
  name: 'theory',
  title: 'The theory, number by number',
  claim: 'Elasticities, critical radii, rates, the corrected terms and the coverage of intervals come out as derived.',
  run: async (options) => {
    const results: Check[] = []
    const entries = Object.values(checks)
    for (const [index, check] of entries.entries()) {
      results.push(check({ seed: options.seed, quick: options.scale === 'quick' }))
      options.onProgress?.((index + 1) / entries.length)
      // Lets a progress bar draw between two checks.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return {
      settings: { seed: options.seed, scale: options.scale },
      tables: results.map(({ title, lines }) => ({
        title,
        header: ['figure', 'measured', 'se', 'quoted', 'holds when'],
        rows: lines.map((line) => [
          line.what,
          figure(line.measured),
          figure(line.standardError),
          line.quoted,
          line.accept,
        ]),
      })),
      plots: [],
      verdicts: results.map(({ title, lines }) => {
        const failed = lines.filter(({ holds }) => !holds)
        return {
          held: failed.length === 0,
          sentence:
            failed.length === 0
              ? `${title}: all ${lines.length} figures hold.`
              : `${title}: ${failed.length} of ${lines.length} figures do NOT hold: ${failed.map((line) => describe(line)).join('; ')}.`,
        }
      }),
    }
  },
}

function describe({ what, measured, accept }: CheckLine): string {
  return `${what} is ${figure(measured)} (must be ${accept})`
}

function figure(value: number | null): string {
  return value === null ? '' : Number(value.toPrecision(4)).toString()
}
