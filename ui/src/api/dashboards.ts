// Dashboards with their cells. A cell's properties are kept exactly as they came: what is not understood here survives
// a save, because other programs may read it.

import { useQuery } from '@tanstack/react-query'
import type { Cell, Dashboard, DashboardInput } from './dashboard-types.js'
import { request, requestJson } from './http.js'

export type { Cell, Dashboard, DashboardInput, Label, ViewProperties } from './dashboard-types.js'

/** Without the properties of cells. */
export function useDashboards(orgID: string, enabled = true) {
  return useQuery({ queryKey: ['dashboards', orgID], queryFn: () => dashboards(orgID), enabled })
}

export async function dashboards(orgID: string): Promise<Dashboard[]> {
  const query = { orgID, limit: -1, sortBy: 'UpdatedAt', descending: true }
  return (await requestJson<{ dashboards: Dashboard[] }>('api/v2/dashboards', { query })).dashboards
}

export function dashboardQuery(id: string) {
  return { queryKey: ['dashboard', id], queryFn: () => dashboard(id) }
}

export function useDashboard(id: string) {
  return useQuery(dashboardQuery(id))
}

export async function dashboard(id: string): Promise<Dashboard> {
  const query = { include: 'properties' }
  const found = await requestJson<Dashboard>(`api/v2/dashboards/${id}`, { query })
  return { ...found, cells: found.cells.map(wholeCell) }
}

function wholeCell({ id, x, y, w, h, name, properties }: Cell): Cell {
  return { id, x, y, w, h, name: name ?? '', properties: properties ?? {} }
}

export function createDashboard(orgID: string, input: DashboardInput): Promise<Dashboard> {
  return requestJson('api/v2/dashboards', { json: { orgID, ...input } })
}

/** All of it in one request. */
export function saveDashboard(id: string, input: DashboardInput): Promise<Dashboard> {
  return requestJson(`api/v2/dashboards/${id}`, { method: 'PATCH', json: input })
}

export async function deleteDashboard(id: string): Promise<void> {
  await request(`api/v2/dashboards/${id}`, { method: 'DELETE' })
}
