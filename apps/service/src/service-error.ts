// An error with a code of the contract. Everything else that is thrown is a fault of ours.

import type { ErrorCode } from '@primo/contract'
import { isErrorCode } from '@primo/contract'
import { PrimoError } from '@primo/numeric'
import { WrongMode } from './engine/problem-host.js'
import { StoreUnavailable } from './store/store.js'

export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, detail: string) {
    super(detail)
    this.code = code
  }
}

/** What the caller is told; null: not the caller's doing. */
export function asServiceError(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error
  if (error instanceof WrongMode) return new ServiceError('wrong-mode', error.message)
  if (error instanceof StoreUnavailable) return new ServiceError('store-unavailable', error.message)
  if (error instanceof PrimoError) return isErrorCode(error.code) ? new ServiceError(error.code, error.message) : null
  return null
}
