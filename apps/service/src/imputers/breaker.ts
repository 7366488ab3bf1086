// A circuit breaker: after some failures in a row the model is left alone for a pause; then one call probes it (half open).
// A probe that succeeds closes the circuit, one that fails opens it for twice the pause, up to half a minute.

interface BreakerLimits {
  readonly failures: number
  readonly pause: number
}

interface Breaker {
  /** Whether a call may be made now; where a probe is due, the caller makes it. */
  readonly allows: () => boolean
  readonly succeeded: () => void
  readonly failed: () => void
  /** Opens at once, for this long (the model said so). */
  readonly open: (pause: number) => void
  readonly state: () => 'closed' | 'open' | 'half-open'
}

const MAX_PAUSE = 30_000

export function createBreaker({ failures, pause }: BreakerLimits, clock: () => number): Breaker {
  let inARow = 0
  let wait = pause
  let openUntil: number | null = null
  let probing = false

  function open(length: number): void {
    openUntil = clock() + length
    probing = false
  }

  return {
    allows: () => {
      if (openUntil === null) return true
      if (probing || clock() < openUntil) return false
      probing = true
      return true
    },
    succeeded: () => {
      // An answer to a call from before the circuit opened says little about the model now.
      if (openUntil !== null && !probing) return
      inARow = 0
      wait = pause
      openUntil = null
      probing = false
    },
    failed: () => {
      inARow++
      if (probing) {
        wait = Math.min(MAX_PAUSE, 2 * wait)
        open(wait)
      } else if (openUntil === null && inARow >= failures) open(wait)
    },
    open,
    state: () => (openUntil === null ? 'closed' : probing || clock() >= openUntil ? 'half-open' : 'open'),
  }
}
