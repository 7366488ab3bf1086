// Verdicts over figures: comparisons of arms, figures quoted from elsewhere, and shares that must lie within limits.

import { formatFixed } from '@primo/lab'
import type { Verdict } from '@primo/lab/node'
import type { Place } from './found.js'
import { effectText, pairedEffect, shareText } from './statistics.js'

/**
 * The result that a comparison with another arm must have. `less`: the interval is below zero. `not more`: the interval
 * is not above zero. A number: the mean difference is at most this share of the other's mean.
 */
export type Target = 'less' | 'not more' | number

export interface Comparison {
  readonly figure: string
  readonly than: string
  readonly target: Target
}

export function compared(place: Place, { figure, than, target }: Comparison): Verdict {
  const effect = pairedEffect(place.values(figure), place.values(figure, than))
  const held = target === 'less' ? effect.high < 0 : target === 'not more' ? effect.low <= 0 : effect.share <= target
  const wanted =
    target === 'less'
      ? 'less, interval below zero'
      : target === 'not more'
        ? 'not more than chance allows'
        : `at most +${Number((100 * target).toPrecision(3))}%`
  const sentence = `${place.world}, ${place.arm} against ${than}: ${figure} changes by ${effectText(effect)}, ${shareText(effect)} (target: ${wanted}).`
  return { held, sentence }
}

/** Mean and standard error as quoted; null: no error was quoted, the measured one stands in for it. */
export type Quoted = readonly [mean: number, standardError: number | null]

/** Combined standard errors between a measured mean and a quoted one. */
export function distanceFrom([quoted, error]: Quoted, place: Place, figure: string): number {
  const { mean, standardError } = place.mean(figure)
  return (mean - quoted) / Math.hypot(standardError, error ?? standardError)
}

export function quotedText(quoted: Quoted | null): string {
  if (quoted === null) return ''
  const [mean, error] = quoted
  return error === null ? `${mean}` : `${mean} ± ${error}`
}

/** All quoted means are reproduced within three combined standard errors. */
export function reproduced(
  where: string,
  quotes: readonly { readonly place: Place; readonly quoted: Quoted }[],
  figure: string,
): Verdict {
  const far = quotes.flatMap(({ place, quoted }) => {
    const off = distanceFrom(quoted, place, figure)
    return Math.abs(off) > 3 ? [`${place.arm} (${off.toFixed(1)})`] : []
  })
  const end = far.length === 0 ? '.' : `; NOT: ${far.join(', ')}.`
  return {
    held: far.length === 0,
    sentence: `${where}: ${quotes.length - far.length} of ${quotes.length} quoted means are reproduced within three combined standard errors${end}`,
  }
}

export interface Coverage {
  /** The subject of the sentence: the set or interval that covers. */
  readonly what: string
  /** 0 and 1 by repeat: whether the truth was covered. */
  readonly hits: readonly number[]
  readonly least: number
  readonly most?: number
  /** Standard errors at 95% by which the limits give way. */
  readonly slack?: number
}

export function covers({ what, hits, least, most = 1, slack = 0 }: Coverage): Verdict {
  const share = hits.reduce((sum, hit) => sum + hit, 0) / hits.length
  const room = slack * Math.sqrt((0.95 * 0.05) / Math.max(1, hits.length))
  const [low, high] = [least - room, Math.min(1, most + room)]
  return {
    held: share >= low && share <= high,
    sentence: `${what} ${percent(share)} of ${hits.length.toLocaleString('en')} (${percent(low)} to ${percent(high)}).`,
  }
}

/** '93.4%'. */
export function percent(share: number, decimals = 1): string {
  return `${formatFixed(100 * share, decimals)}%`
}
