// An error with a code of the contract, for the caller. Any other error is a fault of the service.

import { isErrorCode, type ServiceErrorCode } from '@primo/contract'
import { PrimoError } from '@primo/numeric'

export class ServiceError extends Error {
  override readonly name: string = 'ServiceError'
  readonly code: ServiceErrorCode

  constructor(code: ServiceErrorCode, detail: string) {
    super(detail)
    this.code = code
  }
}

/** The error as the caller gets it; null: a fault of the service. */
export function asServiceError(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error
  return error instanceof PrimoError && isErrorCode(error.code) ? new ServiceError(error.code, error.message) : null
}
