// What editors ask: `/api/v2/query/analyze` (what is wrong with a text, in all three languages), and of Flux `/ast` (a
// script's syntax tree) and `/suggestions` (functions and their parameters).

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import { UserError } from '../../../errors.js'
import { identify } from '../../base/credentials.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'

const LanguageRequest = Type.Object({ query: Type.String() })

const AnalyzeRequest = Type.Object({
  query: Type.String(),
  type: Type.Optional(Type.String()),
  /** SQL is checked against the tables of one, by name or id. */
  bucket: Type.Optional(Type.String()),
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
        const { query, type = 'flux', bucket } = request.body
        if (type === 'influxql') return { errors: problemsOf(influxql, query) }
        if (type === 'flux') return { errors: (await flux()).analyze(query) }
        if (type === 'sql') {
          if (bucket === undefined) throw new UserError('invalid', 'sql needs a bucket')
          const identity = await identify(services, request)
          return { errors: await sqlProblems(services, identity, bucket, query) }
        }
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

/** Planned as it would be run, up to its columns: no points are read. */
async function sqlProblems(
  { queries }: Services,
  identity: Identity,
  database: string,
  text: string,
): Promise<Finding[]> {
  // What the caller may not read is no mistake of the text.
  await queries.requireDatabase(identity, database)
  try {
    const asked = { language: 'sql', database, text, parameters: undefined } as const
    const run = await queries.database(identity, asked)
    try {
      await run.describe()
    } finally {
      run.end()
    }
    return []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const [, line, column] = /Line: (\d+), Column: (\d+)/.exec(error.message) ?? []
    const at = Number(column ?? 0)
    const message = error.message.replace(/^Error while planning query: /, '')
    return [{ line: Number(line ?? 0), column: at, character: at, message }]
  }
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
