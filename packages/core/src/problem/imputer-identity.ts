// Which model spoke: the user's version of it where one is given, and a fingerprint of its data. A function counts by its
// version alone; what a kind of the service adds (the bytes of a file) comes in as `fingerprint`; a trained model has its own.

import type { Imputer } from './imputer.js'
import { shortHash } from './short-hash.js'

export interface ImputerIdentity {
  readonly version?: string
  readonly fingerprint: string
}

export function imputerIdentity(imputer: Imputer): ImputerIdentity {
  const own =
    imputer.kind === 'trained' ? imputer.model.fingerprint : imputer.kind === 'column' ? imputer.fingerprint : undefined
  const fingerprint = own ?? shortHash(imputer)
  return imputer.version === undefined ? { fingerprint } : { version: imputer.version, fingerprint }
}

/** Whether two identities are of the same state of the same model. */
export function sameModel(a: ImputerIdentity | undefined, b: ImputerIdentity): boolean {
  return a !== undefined && a.fingerprint === b.fingerprint && a.version === b.version
}
