// What editors ask about Flux: `/api/v2/query/analyze` (what is wrong with a script), `/ast` (its
// syntax tree) and `/suggestions` (functions and their parameters).

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { UserError } from '../../../errors.js'
import type { Services } from '../../base/services.js'
import { guardedRoutes } from '../resources/resource-access.js'

const LanguageRequest = Type.Object({ query: Type.String() })

const AnalyzeRequest = Type.Object({
  query: Type.String(),
  type: Type.Optional(Type.String()),
})

interface Finding {
  readonly line: number
  readonly column: number
  readonly character: number
  readonly message: string
}

const path = '/api/v2/query'

export function queryToolRoutes(app: FastifyInstance, services: Services): void {
  const { influxql, flux } = services.languages
  guardedRoutes(app, services, (scope) => {
    scope.post<{ Body: Static<typeof AnalyzeRequest> }>(
      `${path}/analyze`,
      { schema: { body: AnalyzeRequest } },
      async (request) => {
        const { query, type = 'flux' } = request.body
        if (type === 'influxql') return { errors: problemsOf(influxql, query) }
        if (type === 'flux') return { errors: (await flux()).analyze(query) }
        throw new UserError('invalid', `unknown query request type ${type}`)
      },
    )

    scope.post<{ Body: Static<typeof LanguageRequest> }>(
      `${path}/ast`,
      { schema: { body: LanguageRequest } },
      async (request) => ({ ast: (await flux()).ast(request.body.query) }),
    )

    scope.get(`${path}/suggestions`, async () => ({ funcs: (await flux()).functions() }))

    scope.get<{ Params: { name: string } }>(`${path}/suggestions/:name`, async (request) => {
      const { name } = request.params
      const functions = (await flux()).functions()
      const found = functions.find((known) => known.name === name)
      if (found === undefined) throw new UserError('not found', `function "${name}" not found`)
      return found
    })
  })
}

/** Its parser stops at the first mistake, and tells the line and the character. */
function problemsOf({ prepare }: Services['languages']['influxql'], text: string): Finding[] {
  try {
    prepare(text)
    return []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const [, said, line, character] =
      /^([\s\S]*) at line (\d+), char (\d+)$/.exec(error.message) ?? []
    const message = (said ?? error.message).replace(/^error parsing query: /, '')
    const at = Number(character ?? 0)
    return [{ line: Number(line ?? 0), column: at, character: at, message }]
  }
}
