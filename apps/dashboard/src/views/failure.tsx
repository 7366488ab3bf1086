// What went wrong, and what to do about it.

import { type FormEvent, useState } from 'react'
import { type ServiceFailure, storedKey, storeKey } from '../api/service.js'

const REMEDIES: Readonly<Record<string, string>> = {
  'unknown-problem': 'Check the name, or define the problem with PUT /v1/problems/NAME.',
  'unknown-decision': 'Check the id: the decisionId of a reply, or the eventId you sent.',
  forbidden: 'Paste a key of another role.',
  away: 'Start it with "npx @primo/cli serve" or "npm start".',
}

interface FailureProps {
  readonly failure: ServiceFailure
  readonly onRetry: () => void
}

export function Failure({ failure, onRetry }: FailureProps) {
  const needsKey = failure.code === 'unauthorized' || failure.code === 'forbidden'
  return (
    <div className="note bad" role="alert">
      <p>{failure.message}</p>
      {REMEDIES[failure.code] === undefined ? null : <p>{REMEDIES[failure.code]}</p>}
      {needsKey ? (
        <KeyForm onStored={onRetry} />
      ) : (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

export function KeyForm({ onStored }: { readonly onStored: () => void }) {
  const [key, setKey] = useState(storedKey())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    storeKey(key.trim())
    onStored()
  }
  return (
    <form onSubmit={submit} className="row">
      <label htmlFor="key">Key (role read; admin to roll back)</label>
      <input id="key" type="password" autoComplete="off" value={key} onChange={(event) => setKey(event.target.value)} />
      <button type="submit">Use it in this tab</button>
    </form>
  )
}
