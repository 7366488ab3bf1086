// Every error a user can cause: a stable code, the facts as data, and a sentence "rule, then what was given".

/** The kind of error, as a stable word for programs. */
export type ErrorCode =
  | 'invalid-option'
  | 'invalid-problem'
  | 'invalid-request'
  | 'unknown-feature'
  | 'missing-feature'
  | 'wrong-type'
  | 'out-of-range'
  | 'unknown-level'
  | 'unknown-action'
  | 'unknown-round'
  | 'round-closed'
  | 'reward-conflict'
  | 'reveal-conflict'
  | 'signal-conflict'
  | 'duplicate-id'
  | 'not-positive-definite'
  | 'shape-mismatch'
  | 'not-finite'
  | 'degenerate-rows'
  | 'snapshot-mismatch'
  | 'snapshot-too-new'
  | 'snapshot-invalid'
  | 'replay-diverged'
  | 'broken-law'
  | 'wrong-mode'

/** Facts of an error, as data: field, value, limits. */
export type ErrorFacts = Readonly<Record<string, unknown>>

/**
 * An error that the caller caused: a stable `code`, the `facts`, and a sentence with the rule and what was given.
 * @example
 * try {
 *   learner.reward('99', 1)
 * } catch (error) {
 *   if (error instanceof PrimoError && error.code === 'unknown-round') console.log(error.message)
 * }
 */
export class PrimoError extends Error {
  override readonly name = 'PrimoError'
  readonly code: ErrorCode
  readonly facts: ErrorFacts

  /** By name: a process may hold two copies of this class, one in a bundle and one in a package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'PrimoError'
  }

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message)
    this.code = code
    this.facts = facts
  }
}

/** How a value is shown inside a sentence: short, quoted when it is text. */
export function show(value: unknown): string {
  if (typeof value === 'string') return value.length > 60 ? `"${value.slice(0, 57)}..."` : `"${value}"`
  if (value === undefined) return 'nothing'
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return `an array of ${value.length}`
  return typeof value === 'object' ? 'an object' : typeof value
}

/** Throws `invalid-option` with the sentence "<field> must be <rule>, got <value>". */
export function invalidOption(field: string, rule: string, value: unknown): never {
  throw new PrimoError('invalid-option', `${field} must be ${rule}, got ${show(value)}`, { field, value, rule })
}
