// `database`: creates, lists, updates and deletes databases of a running server of the cluster
// variant, through its management endpoints.

import { UserError } from '../errors.js'
import { databaseActions, judgeArguments, parseAction } from './arguments.js'
import { type RemoteRequest, RemoteServer } from './remote-server.js'
import { printJson, printRows } from './rows.js'

const path = '/api/v3/configure/database'

interface Database {
  readonly 'iox::database': string
  readonly retention_period: string | null
}

export async function databaseCommand(args: readonly string[]): Promise<number> {
  const { server, request, isTable } = judgeArguments(() => readArguments(args))
  const answer = await server.ask(request)
  if (!isTable) return printJson(answer)
  const databases = answer as readonly Database[]
  const rows = databases.map((database) => [
    database['iox::database'],
    database.retention_period ?? 'none',
  ])
  return printRows(['name', 'retention period'], rows)
}

function readArguments(args: readonly string[]) {
  const { action, operand, flags } = parseAction('database', args, databaseActions)
  const format = flags.get('format') ?? 'table'
  if (format !== 'table' && format !== 'json') {
    throw new UserError('invalid', `flag --format: "${format}" is not one of table, json`)
  }
  const retention = flags.get('retention-period')
  if (action === 'update' && retention === undefined) {
    throw new UserError('invalid', 'flag --retention-period is required')
  }
  const server = new RemoteServer(flags)
  const isTable = action === 'list' && format === 'table'
  return { server, request: requestOf(action, operand, retention), isTable }
}

function requestOf(action: string, db: string, retention: string | undefined): RemoteRequest {
  const period = retention === undefined ? {} : { retention_period: retention }
  switch (action) {
    case 'create':
      return { method: 'POST', path, body: { db, ...period } }
    case 'update':
      return { method: 'PUT', path, body: { db, ...period } }
    case 'delete':
      return { method: 'DELETE', path, query: { db } }
    default:
      return { method: 'GET', path, query: { format: 'json' } }
  }
}
