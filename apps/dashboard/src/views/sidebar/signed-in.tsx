// Whose key is in use, and what it may do.

import { useContext } from 'react'
import { AccessContext } from '../../access.js'
import { storeKey } from '../../api/service.js'
import { Button } from '../../components/button.js'

export function SignedIn() {
  const { name, roles } = useContext(AccessContext)
  if (name === null) return null
  const leave = () => {
    storeKey('')
    location.reload()
  }
  return (
    <span className="signed-in">
      <span title={`Key ${name}`}>
        Key of role <b>{roles.join(', ')}</b>
      </span>
      <Button kind="quiet" small onClick={leave}>
        Sign out
      </Button>
    </span>
  )
}
