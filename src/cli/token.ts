// `token`: creates, lists and revokes database tokens of a running server of the cluster variant,
// through its management endpoints. A new token is printed as JSON, once.

import { parseDuration, roughNs } from '../catalog/base/durations.js'
import type { Flags } from '../config.js'
import { UserError } from '../errors.js'
import { judgeArguments, parseAction, tokenActions } from './arguments.js'
import { type RemoteRequest, RemoteServer } from './remote-server.js'
import { printJson, printRows } from './rows.js'

const path = '/api/v3/configure/token'

interface Token {
  readonly id: string
  readonly name: string
  readonly permissions: readonly {
    readonly resource_names: readonly string[]
    readonly actions: readonly string[]
  }[]
  readonly expiry: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
}

export async function tokenCommand(args: readonly string[]): Promise<number> {
  const { server, request, action, flags } = judgeArguments(() => readArguments(args))
  const answer = await server.ask(request)
  if (action !== 'list') return printJson(answer)
  const database = flags.get('database')
  const tokens = (answer as readonly Token[]).filter(
    ({ permissions }) =>
      database === undefined ||
      permissions.some(({ resource_names: names }) => names.includes(database)),
  )
  if (flags.get('format') === 'json') return printJson(tokens)
  return printRows(['id', 'name', 'permissions', 'ends', 'last used'], tokens.map(rowOf))
}

function rowOf(token: Token): string[] {
  const { id, name, permissions, expiry, revoked_at: revokedAt, last_used_at: usedAt } = token
  const texts = permissions.map(
    ({ resource_names: names, actions }) => `${names.join(',')}:${actions.join('+')}`,
  )
  const ends = revokedAt === null ? (expiry ?? 'never') : `revoked ${revokedAt}`
  return [id, name, texts.join(' '), ends, usedAt ?? 'never']
}

function readArguments(args: readonly string[]) {
  const { action, operand, flags } = parseAction('token', args, tokenActions)
  const format = flags.get('format') ?? 'table'
  if (format !== 'table' && format !== 'json') {
    throw new UserError('invalid', `flag --format: "${format}" is not one of table, json`)
  }
  const request = requestOf(action, operand, flags)
  return { server: new RemoteServer(flags), request, action, flags }
}

function requestOf(action: string, id: string, flags: Flags): RemoteRequest {
  if (action === 'list') return { method: 'GET', path }
  if (action === 'revoke') return { method: 'DELETE', path, query: { id } }
  const name = flags.get('name')
  const permission = {
    resource_type: 'db',
    resource_names: listOf(flags, 'database'),
    actions: actionsOf(flags),
  }
  const named = name === undefined ? {} : { token_name: name }
  const body = { ...named, permissions: [permission], ...endOf(flags.get('expires')) }
  return { method: 'POST', path, body }
}

function listOf(flags: Flags, flag: string): string[] {
  const text = flags.get(flag)
  if (text === undefined) throw new UserError('invalid', `flag --${flag} is required`)
  const parts = text.split(',').map((part) => part.trim())
  if (parts.includes(''))
    throw new UserError('invalid', `flag --${flag}: an empty name in "${text}"`)
  return parts
}

function actionsOf(flags: Flags): string[] {
  const actions = listOf(flags, 'permission')
  const unknown = actions.find((action) => action !== 'read' && action !== 'write')
  if (unknown === undefined) return actions
  throw new UserError('invalid', `flag --permission: "${unknown}" is not one of read, write`)
}

/** A length of time from now, or a moment, which the server reads. */
function endOf(text: string | undefined): object {
  if (text === undefined || text === 'never') return {}
  const duration = parseDuration(text)
  if (duration === undefined) return { expires_at: text }
  const seconds = Number(roughNs(duration) / 1_000_000_000n)
  if (seconds < 1) throw new UserError('invalid', `flag --expires: "${text}" is under a second`)
  return { expiry_secs: seconds }
}
