// Doing something to a problem: what happened is said in a toast, what was refused too, and the view stays where it is.

import { useState } from 'react'
import { say } from '../../components/toast.js'

export interface Operation {
  readonly busy: boolean
  /** Says `done` when it is done; resolves with whether it was. */
  readonly run: (what: () => Promise<unknown>, done: string) => Promise<boolean>
}

export function useOperation(onChanged: () => void): Operation {
  const [busy, setBusy] = useState(false)
  return {
    busy,
    run: async (what, done) => {
      setBusy(true)
      try {
        await what()
        say(done)
        return true
      } catch (error) {
        say(error instanceof Error ? error.message : String(error), true)
        return false
      } finally {
        setBusy(false)
        onChanged()
      }
    },
  }
}
