// Users, and which of them belong to an organization: its members see and use what is there,
// its owners also manage it.

import { useQuery } from '@tanstack/react-query'
import { request, requestJson } from './http.js'

export interface User {
  readonly id: string
  readonly name: string
  readonly status: 'active' | 'inactive'
}

export interface Member extends User {
  readonly role: 'member' | 'owner'
}

/** A page reaches this far; with more users the list says so. */
export const usersMax = 100

/** All that may be seen; for those who manage the installation. */
export function useUsers(isAllowed: boolean) {
  return useQuery({
    queryKey: ['users'],
    queryFn: async () =>
      (await requestJson<{ users: User[] }>('api/v2/users', { query: { limit: usersMax } })).users,
    enabled: isAllowed,
  })
}

export function useMembers(orgId: string) {
  return useQuery({
    queryKey: ['members', orgId],
    queryFn: async () => {
      const path = `api/v2/orgs/${orgId}`
      const [members, owners] = await Promise.all([
        requestJson<{ users: Member[] }>(`${path}/members`),
        requestJson<{ users: Member[] }>(`${path}/owners`),
      ])
      return [...owners.users, ...members.users]
    },
  })
}

export function createUser(name: string, orgId: string, role: Member['role']): Promise<User> {
  return requestJson('api/v2/users', { json: { name, org_id: orgId, role } })
}

/** Of somebody else: one's own is changed with the old one. */
export async function setPassword(userId: string, password: string): Promise<void> {
  await request(`api/v2/users/${userId}/password`, { json: { password } })
}

export async function switchUser(id: string, status: User['status']): Promise<void> {
  await request(`api/v2/users/${id}`, { method: 'PATCH', json: { status } })
}

export async function deleteUser(id: string): Promise<void> {
  await request(`api/v2/users/${id}`, { method: 'DELETE' })
}

export async function addMember(orgId: string, userId: string, role: Member['role']) {
  await request(`api/v2/orgs/${orgId}/${role}s`, { json: { id: userId } })
}

export async function removeMember(orgId: string, { id, role }: Member): Promise<void> {
  await request(`api/v2/orgs/${orgId}/${role}s/${id}`, { method: 'DELETE' })
}

export async function createOrganization(name: string): Promise<void> {
  await request('api/v2/orgs', { json: { name } })
}
