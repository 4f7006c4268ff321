// The program of a session with a database outside. It runs as a process of its own, without the service's environment:
// a server that speaks nonsense can end only this, and a statement that never ends is killed with it. Takes one request
// at a time and replies to each; ends when its parent is gone.

import {
  type Describe,
  messageOf,
  type ReachableTarget,
  type SqlClient,
  type SqlLimits,
  type SqlReply,
  type SqlRequest,
} from './sql-client.js'

let client: SqlClient | undefined
let describe: Describe = messageOf

process.on('disconnect', () => process.exit())
process.on('message', (request: SqlRequest) => {
  handle(request).then(reply, (error) => reply({ kind: 'failed', text: describe(error) }))
})

function reply(message: SqlReply): void {
  // Nobody may be there any more.
  process.send?.(message, undefined, undefined, () => undefined)
}

async function handle(request: SqlRequest): Promise<SqlReply> {
  if (request.kind === 'connect') {
    client = await connectTo(request.target, request.limits)
    return { kind: 'done' }
  }
  if (client === undefined) throw new Error('not connected')
  switch (request.kind) {
    case 'query':
      return { kind: 'columns', columns: await client.query(request.sql) }
    case 'next':
      return { kind: 'rows', rows: await client.next() }
    case 'execute':
      await client.execute(request.sql, request.parameters)
      return { kind: 'done' }
    case 'close':
      await client.close()
      return { kind: 'done' }
  }
}

/** Each kind's package is loaded only where it is wanted. */
async function connectTo(target: ReachableTarget, limits: SqlLimits): Promise<SqlClient> {
  switch (target.kind) {
    case 'postgres': {
      const { connectPostgres, describePostgres } = await import('./postgres-client.js')
      describe = describePostgres
      return connectPostgres(target, limits)
    }
    case 'mysql': {
      const { connectMysql, describeMysql } = await import('./mysql-client.js')
      describe = describeMysql
      return connectMysql(target, limits)
    }
    case 'sqlite': {
      const { connectSqlite } = await import('./sqlite-client.js')
      return connectSqlite(target)
    }
  }
}
