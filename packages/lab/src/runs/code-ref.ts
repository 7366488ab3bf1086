// A scenario or a policy that a file of the user's exports, as the JSON of a run names it: with the hash of the file, so that every part of
// the run is made by the same code.

/** What stands for an export of a file. */
export interface CodeRef {
  readonly kind: 'module'
  /** Shown in tables and plots. */
  readonly name: string
  /** As it was given. */
  readonly file: string
  readonly export: string
  readonly hash: string
}

export function isCodeRef(value: unknown): value is CodeRef {
  return typeof value === 'object' && value !== null && (value as Partial<CodeRef>).kind === 'module'
}

/** The code that a reference stands for. */
export type CodeLookup = (ref: CodeRef) => unknown
