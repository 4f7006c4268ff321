// Cells of a dashboard and the view of each: below `/api/v2/dashboards/{id}/cells`. Whoever may
// read or change the dashboard may do so with them.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { parseId } from '../../../catalog/base/ids.js'
import {
  type Cell,
  type CellInput,
  type CellPlace,
  cellFields,
  cellPlace,
  type DashboardBody,
  findCell,
  newCellFields,
  type View,
  type ViewInput,
  viewFields,
  viewMissing,
} from '../../../catalog/dashboards/dashboards.js'
import { UserError } from '../../../errors.js'
import type { Services } from '../../base/services.js'
import { type IdParams, linksOf, type Resource } from '../resources/resource-access.js'

const NewCell = Type.Union([newCellFields, Type.Null()])

type CellParams = { Params: { id: string; cellID: string } }

export function cellRoutes(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<DashboardBody>,
): void {
  const path = `${resource.path}/:id/cells`
  const { catalog } = services

  scope.post<IdParams & { Body: Static<typeof NewCell> | undefined }>(
    path,
    { schema: { body: NewCell } },
    async (request, reply) => {
      const { record } = await resource.require(request, 'write')
      const input = request.body
      if (!input) throw new UserError('invalid', 'req body is empty')
      const { cell } = await catalog.inTransaction((inside) =>
        inside.dashboards.addCell(record.id, input),
      )
      return reply.code(201).send(cellJson(record.id, cell, false))
    },
  )

  scope.put<IdParams & { Body: CellInput[] }>(
    path,
    { schema: { body: Type.Array(cellFields) } },
    async (request, reply) => {
      const { record } = await resource.require(request, 'write')
      const dashboard = await catalog.inTransaction((inside) =>
        inside.dashboards.replaceCells(record.id, request.body),
      )
      return reply.code(201).send(await resource.show(dashboard))
    },
  )

  scope.patch<CellParams & { Body: CellPlace }>(
    `${path}/:cellID`,
    { schema: { body: cellPlace } },
    async (request) => {
      const { record } = await resource.require(request, 'write')
      const cellId = parseId(request.params.cellID)
      const cell = await catalog.inTransaction((inside) =>
        inside.dashboards.updateCell(record.id, cellId, request.body),
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

  scope.patch<CellParams & { Body: ViewInput }>(
    path,
    { schema: { body: viewFields } },
    async (request) => {
      const { record } = await resource.require(request, 'write')
      const cellId = parseId(request.params.cellID)
      const view = await services.catalog.inTransaction((inside) =>
        inside.dashboards.updateView(record.id, cellId, request.body),
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
