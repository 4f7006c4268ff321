// The cluster variant for tests: a server, its databases and its tokens, through the endpoints that
// manage them, and credentials in every form that requests carry.

import type { RunningServer, ServerOptions } from '../../src/index.js'
import { type Answer, adminToken, type SendOptions, send, start } from './harness.js'

export type Verb = 'read' | 'write'
export type Scheme = 'Bearer' | 'Token' | 'Basic' | 'query string'
export const schemes: readonly Scheme[] = ['Bearer', 'Token', 'Basic', 'query string']

export interface Cluster {
  readonly server: RunningServer
  readonly url: string
  /** As the admin. */
  manage(method: string, path: string, body?: unknown): Promise<Answer>
  makeDatabase(db: string, retention?: string): Promise<Answer>
  giveToken(databases: readonly string[], actions: readonly Verb[], end?: object): Promise<Given>
  revoke(id: string): Promise<Answer>
}

export interface Given {
  readonly id: string
  readonly token: string
}

export async function cluster(options: ServerOptions = {}): Promise<Cluster> {
  const server = await start({ variant: 'cluster', adminToken, ...options })
  return clusterAt(server, server.url)
}

export function clusterAt(server: RunningServer, url: string): Cluster {
  const manage = (method: string, path: string, body?: unknown) =>
    send(`${url}/api/v3/configure/${path}`, {
      method,
      token: adminToken,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    server,
    url,
    manage,
    makeDatabase: (db, retention) =>
      manage('POST', 'database', {
        db,
        ...(retention === undefined ? {} : { retention_period: retention }),
      }),
    async giveToken(names, actions, end = {}) {
      const permissions = [{ resource_type: 'db', resource_names: names, actions }]
      const { status, json, text } = await manage('POST', 'token', { permissions, ...end })
      if (status !== 201) throw new Error(`${status} ${text}`)
      return json
    },
    revoke: (id) => manage('DELETE', `token?id=${id}`),
  }
}

/** A request's URL and headers with a credential. */
export function withCredential(
  url: string,
  scheme: Scheme,
  token: string,
): { url: string; headers: Record<string, string> } {
  if (scheme === 'query string') {
    const separator = url.includes('?') ? '&' : '?'
    return { url: `${url}${separator}u=anybody&p=${encodeURIComponent(token)}`, headers: {} }
  }
  const value = scheme === 'Basic' ? Buffer.from(`anybody:${token}`).toString('base64') : token
  return { url, headers: { authorization: `${scheme} ${value}` } }
}

export async function sendWith(
  url: string,
  scheme: Scheme,
  token: string,
  options: SendOptions = {},
): Promise<Answer> {
  const target = withCredential(url, scheme, token)
  return send(target.url, { ...options, headers: { ...options.headers, ...target.headers } })
}
