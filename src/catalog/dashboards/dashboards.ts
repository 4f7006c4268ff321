// Dashboards with their cells, and with the view of each cell. A dashboard is one record: cells are
// moved together far more often than one by one, and a view means nothing without its cell.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import type { Random } from '../../platform/random.js'
import type { CatalogContext } from '../base/context.js'
import { type Given, optionalFields } from '../base/fields.js'
import { newId } from '../base/ids.js'
import { type CatalogRecord, Records } from '../base/records.js'

/** What a view shows and how: only who draws it understands all of it. */
export type ViewProperties = Readonly<Record<string, unknown>>

export interface View {
  readonly name: string
  readonly properties: ViewProperties
}

export interface Cell {
  readonly id: string
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
  readonly view: View
}

export interface DashboardBody {
  readonly description: string
  readonly cells: readonly Cell[]
}

export type Dashboard = CatalogRecord<DashboardBody>

const int32 = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })
const place = { x: int32, y: int32, w: int32, h: int32 }
const view = { name: Type.String(), properties: Type.Record(Type.String(), Type.Unknown()) }

export const cellPlace = optionalFields(place)
export const viewFields = optionalFields(view)
export const cellFields = optionalFields({ id: Type.String(), ...place, ...view })
export const newCellFields = optionalFields({
  ...place,
  name: Type.String(),
  usingView: Type.String(),
})
export const dashboardFields = optionalFields({
  orgID: Type.String(),
  name: Type.String({ description: 'required to create one' }),
  description: Type.String(),
  cells: Type.Array(cellFields),
})

export type CellPlace = Given<typeof cellPlace>
export type ViewInput = Given<typeof viewFields>
export type CellInput = Given<typeof cellFields>
export type DashboardInput = Given<typeof dashboardFields>

const viewTypes = [
  'xy',
  'band',
  'line-plus-single-stat',
  'single-stat',
  'gauge',
  'histogram',
  'heatmap',
  'scatter',
  'mosaic',
  'table',
  'simple-table',
  'markdown',
  'check',
  'geo',
] as const

export type ViewType = (typeof viewTypes)[number]

export function viewTypeNamed(name: unknown): ViewType | undefined {
  return viewTypes.find((type) => type === name)
}

const emptyView: View = { name: '', properties: { shape: 'empty' } }

export class Dashboards {
  readonly records: Records<DashboardBody>
  readonly #random: Random

  constructor(context: CatalogContext) {
    this.#random = context.random
    this.records = new Records(context, { kind: 'dashboard', noun: 'dashboard' })
  }

  async create(
    orgId: string,
    ownerId: string | undefined,
    input: DashboardInput,
  ): Promise<Dashboard> {
    const { name, description = '', cells = [] } = input
    if (name === undefined) throw new UserError('invalid', 'dashboard name is required')
    const made = cells.map((cell) => this.#cellOf(cell, undefined))
    return this.records.create({ orgId, ownerId, name, body: { description, cells: made } })
  }

  /** Given cells take the place of all that there were; known ones keep what is not given. */
  async update(id: string, change: DashboardInput): Promise<Dashboard> {
    if ((change.name ?? change.description ?? change.cells) === undefined) {
      throw new UserError('invalid', 'must update at least one attribute')
    }
    const { body } = await this.records.require(id)
    const cells = change.cells?.map((cell) => this.#cellOf(cell, findCell(body, cell.id)))
    return this.records.update(id, {
      name: change.name,
      body: { description: change.description ?? body.description, cells: cells ?? body.cells },
    })
  }

  /** `usingView` names a cell of the same dashboard whose view the new one starts with. */
  async addCell(
    id: string,
    input: Given<typeof newCellFields>,
  ): Promise<{ dashboard: Dashboard; cell: Cell }> {
    const { body } = await this.records.require(id)
    const { x, y, w, h } = input
    const usingView = input.usingView || undefined
    const copied = usingView === undefined ? undefined : findCell(body, usingView)
    if (usingView !== undefined && copied === undefined) throw viewMissing()
    const view = copied?.view ?? emptyView
    const made = this.#cellOf({ x, y, w, h }, undefined)
    const cell = { ...made, view: { ...view, name: input.name || view.name } }
    return { dashboard: await this.#setCells(id, body, [...body.cells, cell]), cell }
  }

  /** Places the cells anew and drops those that are not named. */
  async replaceCells(id: string, cells: readonly CellInput[]): Promise<Dashboard> {
    const { body } = await this.records.require(id)
    const replaced = cells.map((cell) => {
      if (cell.id === undefined || cell.id === '') {
        throw new UserError('invalid', 'cannot provide empty cell id')
      }
      const known = findCell(body, cell.id)
      if (known === undefined) {
        const reason = 'cannot replace cells that were not already present'
        throw new UserError('conflict', reason)
      }
      return this.#cellOf(cell, known)
    })
    return this.#setCells(id, body, replaced)
  }

  async updateCell(id: string, cellId: string, place: CellPlace): Promise<Cell> {
    if ((place.x ?? place.y ?? place.w ?? place.h) === undefined) {
      throw new UserError('invalid', 'must update at least one attribute')
    }
    const { body } = await this.records.require(id)
    const { x, y, w, h } = place
    const moved = this.#cellOf({ x, y, w, h }, requireCell(body, cellId))
    await this.#setCells(
      id,
      body,
      body.cells.map((cell) => (cell.id === cellId ? moved : cell)),
    )
    return moved
  }

  async deleteCell(id: string, cellId: string): Promise<void> {
    const { body } = await this.records.require(id)
    requireCell(body, cellId)
    await this.#setCells(
      id,
      body,
      body.cells.filter((cell) => cell.id !== cellId),
    )
  }

  async updateView(id: string, cellId: string, change: ViewInput): Promise<View> {
    const { body } = await this.records.require(id)
    const before = findCell(body, cellId)
    if (before === undefined) throw viewMissing()
    const { name, properties } = change
    const changed = this.#cellOf({ name, properties }, before)
    await this.#setCells(
      id,
      body,
      body.cells.map((cell) => (cell.id === cellId ? changed : cell)),
    )
    return changed.view
  }

  #setCells(id: string, body: DashboardBody, cells: readonly Cell[]): Promise<Dashboard> {
    return this.records.update(id, { body: { ...body, cells } })
  }

  /** What is not given stays as `before` has it. */
  #cellOf(input: CellInput, before: Cell | undefined): Cell {
    const view = before?.view ?? emptyView
    return {
      id: before?.id ?? newId(this.#random),
      x: input.x ?? before?.x ?? 0,
      y: input.y ?? before?.y ?? 0,
      w: input.w ?? before?.w ?? 0,
      h: input.h ?? before?.h ?? 0,
      view: {
        name: input.name ?? view.name,
        properties: checkedProperties(input.properties ?? view.properties),
      },
    }
  }
}

export function findCell(body: DashboardBody, id: string | undefined): Cell | undefined {
  return body.cells.find((cell) => cell.id === id)
}

export function viewMissing(): UserError {
  return new UserError('not found', 'view not found')
}

function requireCell(body: DashboardBody, id: string): Cell {
  const cell = findCell(body, id)
  if (cell === undefined) throw new UserError('not found', 'cell not found')
  return cell
}

function checkedProperties(properties: ViewProperties): ViewProperties {
  const { shape, type } = properties
  if (shape === 'empty') return properties
  if (viewTypeNamed(type) !== undefined) return properties
  throw new UserError('invalid', `unknown view type ${JSON.stringify(type) ?? ''}`.trimEnd())
}
