// Lists in pages, as the interface asks for them and links them: `limit`, `offset`, `after` and
// `descending` in, `links.self`, `next` and `prev` out.

import type { FastifyRequest } from 'fastify'
import { parseId } from '../../catalog/base/ids.js'
import { type Page, wholeList } from '../../catalog/base/page.js'
import { UserError } from '../../errors.js'
import { flag, parameter } from './parameters.js'

export interface PageLimits {
  readonly limitDefault: number
  readonly limitMax: number
  /** Whether a limit of -1 means the whole list, as InfluxDB Cloud has it for tasks. */
  readonly allowsAll?: boolean
}

/** What most lists have. */
export const usualPageLimits: PageLimits = { limitDefault: 20, limitMax: 100 }

export function pageOf(request: FastifyRequest, limits: PageLimits = usualPageLimits): Page {
  const isAll = limits.allowsAll === true && parameter(request, 'limit') === '-1'
  const limit = isAll ? wholeList.limit : (wholeNumber(request, 'limit') ?? limits.limitDefault)
  if (!isAll && (limit < 1 || limit > limits.limitMax)) {
    throw new UserError('invalid', `limit must be between 1 and ${limits.limitMax}`)
  }
  const after = parameter(request, 'after')
  return {
    limit,
    offset: wholeNumber(request, 'offset') ?? 0,
    after: after === undefined ? undefined : parseId(after),
    descending: flag(request, 'descending') ?? false,
  }
}

function wholeNumber(request: FastifyRequest, name: string): number | undefined {
  const text = parameter(request, name)
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text)) throw new UserError('invalid', `${name} is invalid`)
  return Number(text)
}

/** `filters` are the other parameters of the list, which its links repeat. */
export function pageLinks(
  path: string,
  page: Page,
  returnedCount: number,
  filters: Readonly<Record<string, string | undefined>> = {},
): { self: string; next?: string; prev?: string } {
  const link = (offset: number) => {
    const values: [string, string][] = [
      ['descending', String(page.descending)],
      ['limit', String(page.limit)],
      ['offset', String(offset)],
    ]
    for (const [name, value] of Object.entries(filters)) {
      if (value !== undefined) values.push([name, value])
    }
    values.sort(([a], [b]) => (a < b ? -1 : 1))
    return `${path}?${new URLSearchParams(values)}`
  }
  return {
    self: link(page.offset),
    ...(returnedCount >= page.limit ? { next: link(page.offset + page.limit) } : {}),
    ...(page.offset > 0 ? { prev: link(Math.max(0, page.offset - page.limit)) } : {}),
  }
}
