// Code that a user brings: an exploration rule, a function class. Options and snapshots name it by kind and version; the code itself is
// given as the option's value or in `use`, and never read from data.

import { invalidOption, PrimoError, show } from '@primo/numeric'

/** Fields that code can be tuned with; JSON. */
export type CodeOptions = object

/** What every piece of user code says of itself. */
export interface OwnCode {
  /** Its name, unlike every built-in one. */
  readonly kind: string
  /** Raise it with every change of what the code computes: a snapshot is restored with the version that it was made with. */
  readonly version: string
  /** Its options, with their defaults; JSON. */
  readonly options?: CodeOptions
}

/** User code by name, where the code itself is in `use`. */
export interface NamedCode extends OwnCode {
  readonly compile?: never
}

/** Whether this is code rather than the name of it. */
export function isCode(value: unknown): value is OwnCode {
  return typeof value === 'object' && value !== null && typeof (value as { compile?: unknown }).compile === 'function'
}

/** What data keeps of the code. */
export function nameOf({ kind, version, options }: OwnCode): NamedCode {
  return options === undefined ? { kind, version } : { kind, version, options }
}

/** Checks what every piece of code must say of itself. */
export function checkCode(field: string, code: OwnCode, builtIn: readonly string[]): void {
  const { kind, version } = code
  if (typeof kind !== 'string' || kind === '' || builtIn.includes(kind))
    invalidOption(`${field}.kind`, 'text unlike every built-in kind', kind)
  if (typeof version !== 'string' || version === '') invalidOption(`${field}.version`, 'non-empty text', version)
}

/** The code of this name; undefined: no code in use is of this kind. Another version of it is refused. */
export function codeNamed<C extends OwnCode>(use: readonly C[], field: string, name: Partial<OwnCode>): C | undefined {
  const ofKind = use.filter(({ kind }) => kind === name.kind)
  const { version = ofKind[0]?.version } = name
  const found = ofKind.find((code) => code.version === version)
  if (found === undefined && ofKind.length > 0)
    throw new PrimoError(
      'invalid-option',
      `${field}.version must be one that is in use for "${name.kind}" (${ofKind.map((code) => show(code.version)).join(', ')}), got ${show(version)}`,
      { field: `${field}.version`, value: version },
    )
  return found
}
