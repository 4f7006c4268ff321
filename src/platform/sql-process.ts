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

class Session {
  #client: SqlClient | undefined
  #describe: Describe = messageOf

  async reply(request: SqlRequest): Promise<SqlReply> {
    try {
      return await this.#handle(request)
    } catch (error) {
      return { kind: 'failed', text: this.#describe(error) }
    }
  }

  async #handle(request: SqlRequest): Promise<SqlReply> {
    if (request.kind === 'connect') {
      this.#client = await this.#connectTo(request.target, request.limits)
      return { kind: 'done' }
    }
    const client = this.#client
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
  async #connectTo(target: ReachableTarget, limits: SqlLimits): Promise<SqlClient> {
    switch (target.kind) {
      case 'postgres': {
        const { connectPostgres, describePostgres } = await import('./postgres-client.js')
        this.#describe = describePostgres
        return connectPostgres(target, limits)
      }
      case 'mysql': {
        const { connectMysql, describeMysql } = await import('./mysql-client.js')
        this.#describe = describeMysql
        return connectMysql(target, limits)
      }
      case 'sqlite': {
        const { connectSqlite } = await import('./sqlite-client.js')
        return connectSqlite(target)
      }
    }
  }
}

const session = new Session()
process.on('disconnect', () => process.exit())
process.on('message', async (request: SqlRequest) => {
  const reply = await session.reply(request)
  // Nobody may be there any more.
  process.send?.(reply, undefined, undefined, () => undefined)
})
