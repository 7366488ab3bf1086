// A numeric check of a claim: measured figures next to the quoted figures (method#theory-checks), each with the rule that decides.

export interface CheckLine {
  readonly what: string
  readonly measured: number
  /** Monte-Carlo standard error; null where the figure is computed without sampling. */
  readonly standardError: number | null
  /** The quoted figure as it is written there; '-' where there is none. */
  readonly quoted: string
  /** The rule in words. */
  readonly accept: string
  readonly holds: boolean
}

export interface Check {
  /** Short name for --only. */
  readonly id: string
  /** What is checked, with the errata it concerns. */
  readonly title: string
  /** Settings that the quoted figures leave open, or what stands in for them. */
  readonly note: string
  readonly seed: number
  readonly lines: readonly CheckLine[]
}

export interface CheckOptions {
  readonly seed: number
  /** Fewer repetitions and smaller tables, for tests. */
  readonly quick: boolean
}

export interface NearOptions {
  readonly what: string
  readonly measured: number
  readonly standardError?: number
  readonly quoted: number
  /** Allowed distance beyond three standard errors: rounding of the quoted figure and its own error. */
  readonly tolerance: number
  /** How it is written there, when not as the number itself. */
  readonly as?: string
}

/** Holds when the measured figure is within `tolerance` and three standard errors of the quoted one. */
export function near(options: NearOptions): CheckLine {
  const { what, measured, standardError, quoted, tolerance, as = trim(quoted) } = options
  const reach = tolerance + 3 * (standardError ?? 0)
  return {
    what,
    measured,
    standardError: standardError ?? null,
    quoted: as,
    accept: `within ${reach.toPrecision(2)} of ${trim(quoted)}`,
    holds: Math.abs(measured - quoted) <= reach,
  }
}

export interface BetweenOptions {
  readonly what: string
  readonly measured: number
  readonly standardError?: number
  readonly quoted?: string
  readonly low?: number
  readonly high?: number
}

/** Holds when the measured figure lies in [low, high]. */
export function between(options: BetweenOptions): CheckLine {
  const {
    what,
    measured,
    standardError,
    quoted = '-',
    low = Number.NEGATIVE_INFINITY,
    high = Number.POSITIVE_INFINITY,
  } = options
  const accept =
    low === Number.NEGATIVE_INFINITY
      ? `<= ${trim(high)}`
      : high === Number.POSITIVE_INFINITY
        ? `>= ${trim(low)}`
        : `in [${trim(low)}, ${trim(high)}]`
  return {
    what,
    measured,
    standardError: standardError ?? null,
    quoted,
    accept,
    holds: measured >= low && measured <= high,
  }
}

function trim(value: number): string {
  return String(Number(value.toPrecision(6)))
}
