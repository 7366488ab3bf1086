// What the key in use may do. A service without keys lets everyone do everything.

import type { PageSettings } from '@primo/contract'
import { createContext, useContext } from 'react'

export type Role = NonNullable<PageSettings['holder']>['roles'][number]

export interface Access {
  /** Whether the service asks for keys. */
  readonly keys: boolean
  readonly name: string | null
  readonly roles: readonly Role[]
}

export const openAccess: Access = { keys: false, name: null, roles: [] }

export const AccessContext = createContext<Access>(openAccess)

export function accessOf({ keys, holder }: PageSettings): Access {
  return { keys, name: holder?.name ?? null, roles: holder?.roles ?? [] }
}

/** Why the key may not do what needs the role; null: it may. */
export function whyNot({ keys, roles }: Access, role: Role): string | null {
  if (!keys || roles.includes(role) || roles.includes('admin')) return null
  return roles.length === 0
    ? `This needs a key of role ${role}.`
    : `This needs a key of role ${role}; yours is of role ${roles.join(' and ')}.`
}

/** As `whyNot`, of the key in use. */
export function useWhyNot(role: Role): string | null {
  return whyNot(useContext(AccessContext), role)
}
