// Cells of a dashboard and the view of each: below `/api/v2/dashboards/{id}/cells`. Whoever may
// read or change the dashboard may do so with them.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { parseId } from '../../../catalog/base/ids.js'
import {
  type Cell,
  type DashboardBody,
  findCell,
  type View,
  viewMissing,
} from '../../../catalog/dashboards/dashboards.js'
import { UserError } from '../../../errors.js'
import type { Services } from '../../base/services.js'
import { type IdParams, linksOf, type Resource } from '../resources/resource-access.js'

const Int32 = Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })
const place = {
  x: Type.Optional(Int32),
  y: Type.Optional(Int32),
  w: Type.Optional(Int32),
  h: Type.Optional(Int32),
}
const Properties = Type.Record(Type.String(), Type.Unknown())

export const CellRequest = Type.Object({
  id: Type.Optional(Type.String()),
  ...place,
  name: Type.Optional(Type.String()),
  properties: Type.Optional(Properties),
})

const CellAdd = Type.Union([
  Type.Object({
    ...place,
    name: Type.Optional(Type.String()),
    usingView: Type.Optional(Type.String()),
  }),
  Type.Null(),
])

const CellsReplace = Type.Array(CellRequest)

const CellUpdate = Type.Object(place)

const ViewUpdate = Type.Object({
  name: Type.Optional(Type.String()),
  properties: Type.Optional(Properties),
})

type CellParams = { Params: { id: string; cellID: string } }

export function cellRoutes(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<DashboardBody>,
): void {
  const path = `${resource.path}/:id/cells`
  const { catalog } = services

  scope.post<IdParams & { Body: Static<typeof CellAdd> | undefined }>(
    path,
    { schema: { body: CellAdd } },
    async (request, reply) => {
      const { record } = await resource.require(request, 'write')
      if (!request.body) throw new UserError('invalid', 'req body is empty')
      const { x, y, w, h, name, usingView } = request.body
      const input = { x, y, w, h, name: name || undefined, usingView: usingView || undefined }
      const { cell } = await catalog.inTransaction((inside) =>
        inside.dashboards.addCell(record.id, input),
      )
      return reply.code(201).send(cellJson(record.id, cell, false))
    },
  )

  scope.put<IdParams & { Body: Static<typeof CellsReplace> }>(
    path,
    { schema: { body: CellsReplace } },
    async (request, reply) => {
      const { record } = await resource.require(request, 'write')
      const dashboard = await catalog.inTransaction((inside) =>
        inside.dashboards.replaceCells(record.id, request.body),
      )
      return reply.code(201).send(await resource.show(dashboard))
    },
  )

  scope.patch<CellParams & { Body: Static<typeof CellUpdate> }>(
    `${path}/:cellID`,
    { schema: { body: CellUpdate } },
    async (request) => {
      const { record } = await resource.require(request, 'write')
      const { x, y, w, h } = request.body
      const cellId = parseId(request.params.cellID)
      const cell = await catalog.inTransaction((inside) =>
        inside.dashboards.updateCell(record.id, cellId, { x, y, w, h }),
      )
      return cellJson(record.id, cell, false)
    },
  )

  scope.delete<CellParams>(`${path}/:cellID`, async (request, reply) => {
    const { record } = await resource.require(request, 'write')
    await catalog.inTransaction((inside) =>
      inside.dashboards.deleteCell(record.id, parseId(request.params.cellID)),
    )
    return reply.code(204).send()
  })
  viewRoutes(scope, services, resource)
}

function viewRoutes(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<DashboardBody>,
): void {
  const path = `${resource.path}/:id/cells/:cellID/view`

  scope.get<CellParams>(path, async (request) => {
    const { record } = await resource.require(request, 'read')
    const cell = findCell(record.body, parseId(request.params.cellID))
    if (cell === undefined) throw viewMissing()
    return viewJson(record.id, cell.id, cell.view)
  })

  scope.patch<CellParams & { Body: Static<typeof ViewUpdate> }>(
    path,
    { schema: { body: ViewUpdate } },
    async (request) => {
      const { record } = await resource.require(request, 'write')
      const { name, properties } = request.body
      const cellId = parseId(request.params.cellID)
      const view = await services.catalog.inTransaction((inside) =>
        inside.dashboards.updateView(record.id, cellId, { name, properties }),
      )
      return viewJson(record.id, cellId, view)
    },
  )
}

/** A cell has one view for life, which goes by the cell's id. */
export function cellJson(dashboardId: string, cell: Cell, hasProperties: boolean): object {
  const { id, x, y, w, h, view } = cell
  return {
    id,
    x,
    y,
    w,
    h,
    viewID: id,
    ...(hasProperties ? view : {}),
    links: linksOf(`/api/v2/dashboards/${dashboardId}/cells/${id}`, ['view']),
  }
}

function viewJson(dashboardId: string, cellId: string, view: View): object {
  const self = `/api/v2/dashboards/${dashboardId}/cells/${cellId}/view`
  return { id: cellId, ...view, links: { self } }
}
