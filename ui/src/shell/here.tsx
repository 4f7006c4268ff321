// Who is here and in which organization: what every
// page below the shell may ask for.

import { createContext, useContext } from 'react'
import { type Me, may, type Organization } from '../api/accounts.js'

export interface Here {
  readonly me: Me
  readonly org: Organization
}

export const HereContext = createContext<Here | undefined>(undefined)

export function useHere(): Here {
  const here = useContext(HereContext)
  if (here === undefined) throw new Error('outside of the shell')
  return here
}

/** Whether the user may do this to resources of the organization, and what they lack if not. */
export function useMay(
  action: 'read' | 'write',
  type: string,
): { isAllowed: boolean; lacking: string | undefined } {
  const { me, org } = useHere()
  const isAllowed = may(me, action, type, org.id)
  return {
    isAllowed,
    lacking: isAllowed ? undefined : `You lack the permission to ${action} ${type}.`,
  }
}
