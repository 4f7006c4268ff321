// Whether the token that somebody signed in with is the admin's:
// databases and tokens are managed with no other.

import { useHere } from '../shell/here.js'

/** What is lacking; undefined: nothing. */
export function useAdmin(): string | undefined {
  const { me } = useHere()
  const isAdmin = me.permissions.some(
    ({ action, resource }) =>
      action === 'write' && resource.type === 'orgs' && resource.id === undefined,
  )
  return isAdmin || me.name === 'admin' ? undefined : 'This needs the admin token.'
}
