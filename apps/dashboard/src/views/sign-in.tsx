// Signing in with a key. It stays in this tab and goes only to this service.

import { type FormEvent, useState } from 'react'
import { type ServiceFailure, storedKey, storeKey } from '../api/service.js'
import { Button } from '../components/button.js'
import { Field } from '../components/field.js'
import { Icon } from '../components/icon.js'

interface SignInProps {
  readonly failure: ServiceFailure
  readonly onStored: () => void
}

const ROLES: readonly (readonly [string, string])[] = [
  ['read', 'look at everything'],
  ['decide', 'ask for decisions'],
  ['reward', 'report rewards'],
  ['admin', 'all of it, and change problems'],
]

export function SignIn({ failure, onStored }: SignInProps) {
  const [key, setKey] = useState('')
  const tried = storedKey() !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    storeKey(key.trim())
    onStored()
  }
  return (
    <section className="card sign-in" aria-labelledby="sign-in-title">
      <h1 id="sign-in-title">
        <Icon name="key" size={20} /> Sign in
      </h1>
      <p className="quiet">This service needs a key. A key with the role “read” is enough to look around.</p>
      {tried ? (
        <p className="note bad" role="alert">
          {failure.code === 'forbidden' ? 'Your key may not see this' : 'This key was not accepted'}: {failure.message}.
        </p>
      ) : null}
      <form onSubmit={submit} className="stack">
        <Field label="Key" hint="Kept in this tab until you close it.">
          {(control) => (
            <input
              type="password"
              autoComplete="off"
              {...control}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <Button kind="primary" submit unless={key.trim() === '' ? 'Paste a key first.' : null}>
          Sign in
        </Button>
      </form>
      <details className="small">
        <summary>Where do I get a key?</summary>
        <p>
          Whoever runs the service makes one with <code>primo key read</code>. Roles:
        </p>
        <dl className="facts">
          {ROLES.map(([role, may]) => (
            <div key={role}>
              <dt>{role}</dt>
              <dd className="small">{may}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}
