// Who is here: set-up, signing in and out, the user and
// their permissions, organizations.

import { useQuery } from '@tanstack/react-query'
import { request, requestJson } from './http.js'
import { isCluster } from './variant.js'

export interface Permission {
  readonly action: 'read' | 'write'
  readonly resource: {
    readonly type: string
    readonly id?: string
    readonly orgID?: string
    /** Told by the service, where the id still stands for something. */
    readonly name?: string
  }
}

export interface Me {
  readonly id: string
  readonly name: string
  readonly permissions: readonly Permission[]
  /** Those that they may see; a cluster has none. */
  readonly orgs?: readonly Organization[]
}

export interface Organization {
  readonly id: string
  readonly name: string
  readonly description?: string
}

export interface SetupInput {
  readonly username: string
  readonly password: string
  readonly org: string
  readonly bucket: string
  readonly retentionPeriodSeconds: number
}

export interface SetupResult {
  readonly auth: { readonly token: string }
  readonly org: Organization
  readonly bucket: { readonly id: string; readonly name: string }
}

export async function isSetupOpen(): Promise<boolean> {
  return (await requestJson<{ allowed: boolean }>('api/v2/setup')).allowed
}

export function setUp(input: SetupInput): Promise<SetupResult> {
  return requestJson('api/v2/setup', { json: input })
}

export async function signIn(username: string, password: string): Promise<void> {
  const bytes = new TextEncoder().encode(`${username}:${password}`)
  const credential = btoa(String.fromCharCode(...bytes))
  const headers = { authorization: `Basic ${credential}` }
  await request('api/v2/signin', { method: 'POST', headers, isSessionAsked: false })
  localStorage.setItem(signedInKey, 'yes')
}

/** The cluster variant has tokens and no users. */
export async function signInWithToken(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token.trim()}` }
  await request('api/v2/signin', { method: 'POST', headers, isSessionAsked: false })
  localStorage.setItem(signedInKey, 'yes')
}

export async function signOut(): Promise<void> {
  await request('api/v2/signout', { method: 'POST', isSessionAsked: false })
  localStorage.removeItem(signedInKey)
}

/** The cookie cannot be seen from here: this says whether asking who has it is worth while. */
const signedInKey = 'millrace-signed-in'

/** Undefined: nobody. */
export async function whoAmI(): Promise<Me | undefined> {
  if (localStorage.getItem(signedInKey) === null) return undefined
  try {
    return await requestJson<Me>('api/v2/me', { isSessionAsked: false })
  } catch (error) {
    if ((error as { status?: number }).status === 401) return undefined
    throw error
  }
}

export async function organizations(): Promise<Organization[]> {
  return (await requestJson<{ orgs: Organization[] }>('api/v2/orgs', { query: { limit: 100 } }))
    .orgs
}

/** Not asked: what somebody else asked for, if anybody did. */
export function useOrganizations(isAsked = true) {
  return useQuery({ queryKey: ['orgs'], queryFn: organizations, enabled: isAsked })
}

/** What stands before every page: who is here, and where; or whether there is anybody yet. */
export interface Situation {
  /** Undefined: nobody. */
  readonly me: Me | undefined
  readonly orgs: readonly Organization[]
  readonly isSetupOpen: boolean
}

export const situationQuery = {
  queryKey: ['situation'],
  queryFn: situation,
  staleTime: Number.POSITIVE_INFINITY,
} as const

async function situation(): Promise<Situation> {
  const me = await whoAmI()
  // A cluster is set up when it is started, and has no organizations.
  if (isCluster()) return { me, orgs: [{ id: '', name: 'cluster' }], isSetupOpen: false }
  if (me !== undefined) return { me, orgs: me.orgs ?? [], isSetupOpen: false }
  return { me, orgs: [], isSetupOpen: await isSetupOpen() }
}

const chosenKey = 'millrace-org'

/** The one that was chosen last, else the first. */
export function chosenOrganization(orgs: readonly Organization[]): Organization | undefined {
  const chosen = localStorage.getItem(chosenKey)
  return orgs.find(({ id }) => id === chosen) ?? orgs[0]
}

export function chooseOrganization(id: string): void {
  localStorage.setItem(chosenKey, id)
}

export async function changePassword(name: string, old: string, password: string): Promise<void> {
  const bytes = new TextEncoder().encode(`${name}:${old}`)
  const headers = { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
  await request('api/v2/me/password', { method: 'PUT', json: { password }, headers })
}

/** The service's own rule: see `access/permissions.ts`. */
export function may(me: Me, action: 'read' | 'write', type: string, orgID: string): boolean {
  return me.permissions.some(({ action: granted, resource }) => {
    if (granted !== action || (resource.type !== type && resource.type !== 'instance')) return false
    if (resource.id !== undefined && resource.id !== (type === 'orgs' ? orgID : '')) return false
    return resource.orgID === undefined || resource.orgID === orgID
  })
}

/** Whether they manage the whole installation. */
export function isOperator(permissions: readonly Permission[]): boolean {
  return permissions.some(
    ({ action, resource }) =>
      action === 'write' &&
      (resource.type === 'orgs' || resource.type === 'instance') &&
      resource.id === undefined &&
      resource.orgID === undefined,
  )
}
