// A numeric check of a claim: measured figures with the limits that they must lie in, next to the quoted figures
// (method#theory-checks).

export interface CheckLine {
  /** With the quoted figure as it is written there, where there is one. */
  readonly name: string
  readonly measured: number
  /** Monte-Carlo standard error; absent where the figure is computed without sampling. */
  readonly standardError?: number
  readonly low: number
  readonly high: number
}

export interface Check {
  /** The errata that it concerns, and its subject. */
  readonly title: string
  readonly lines: (options: CheckOptions) => readonly CheckLine[]
}

export interface CheckOptions {
  readonly seed: number
  /** Fewer repeats and smaller tables, for tests. */
  readonly quick: boolean
}

interface LineOptions {
  readonly what: string
  readonly measured: number
  readonly standardError?: number
}

export interface NearOptions extends LineOptions {
  readonly quoted: number
  /** Allowed distance beyond three standard errors: rounding of the quoted figure and its own error. */
  readonly tolerance: number
  /** How it is written there, when not as the number itself. */
  readonly as?: string
}

/** Holds when the measured figure is within `tolerance` and three standard errors of the quoted one. */
export function near({ what, quoted, tolerance, as = String(quoted), ...line }: NearOptions): CheckLine {
  const reach = tolerance + 3 * (line.standardError ?? 0)
  return { ...line, name: `${what} (quoted ${as})`, low: quoted - reach, high: quoted + reach }
}

export interface BetweenOptions extends LineOptions {
  readonly quoted?: string
  readonly low?: number
  readonly high?: number
}

/** Holds when the measured figure lies in [low, high]. */
export function between({ what, quoted, ...line }: BetweenOptions): CheckLine {
  const limits = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, ...line }
  return { ...limits, name: quoted === undefined ? what : `${what} (quoted ${quoted})` }
}

export function holds({ measured, low, high }: Pick<CheckLine, 'measured' | 'low' | 'high'>): boolean {
  return measured >= low && measured <= high
}
