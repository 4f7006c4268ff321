// Dashboards and cells as the service tells them. A cell's properties are those of the public
// schema, and whatever else somebody has put there.

/** As the public schema has them; each kind of cell reads its own. */
export type ViewProperties = Readonly<Record<string, unknown>>

export interface Cell {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
  readonly name: string
  readonly properties: ViewProperties
}

export interface Label {
  readonly id: string
  readonly name: string
  readonly properties?: Readonly<Record<string, string>>
}

export interface Dashboard {
  readonly id: string
  readonly orgID: string
  readonly name: string
  readonly description?: string
  readonly cells: readonly Cell[]
  readonly labels: readonly Label[]
  readonly meta: { readonly createdAt: string; readonly updatedAt: string }
}

/** What a save sends: new cells carry an id of the page's own, which the service replaces. */
export interface DashboardInput {
  readonly name: string
  readonly description: string
  readonly cells: readonly Omit<Cell, 'id'>[]
}
