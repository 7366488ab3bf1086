// What went wrong, and what to do about it; where a key is needed, the card to sign in with.

import type { ServiceFailure } from '../api/service.js'
import { Button } from '../components/button.js'
import { SignIn } from './sign-in.js'

const REMEDIES: Readonly<Record<string, string>> = {
  'unknown-decision': 'Check the id: the decisionId of a reply, or the eventId you sent.',
  away: 'Start it with "npx @primo/cli serve" or "npm start".',
}

interface FailureProps {
  readonly failure: ServiceFailure
  readonly onRetry: () => void
}

export function needsKey({ code }: ServiceFailure): boolean {
  return code === 'unauthorized' || code === 'forbidden'
}

export function Failure({ failure, onRetry }: FailureProps) {
  if (needsKey(failure)) return <SignIn failure={failure} onStored={onRetry} />
  return (
    <div className="note bad" role="alert">
      <p>{failure.message}</p>
      {REMEDIES[failure.code] === undefined ? null : <p>{REMEDIES[failure.code]}</p>}
      <Button small onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
