// How tests look at errors.

import { expect } from 'vitest'
import { PrimoError } from './errors.js'

/** The PrimoError that `run` throws; anything else fails the test. */
export function errorOf(run: () => unknown): PrimoError {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(PrimoError)
    return error as PrimoError
  }
  throw new Error('nothing was thrown')
}
