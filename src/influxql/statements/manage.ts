// Statements that change what there is besides points: databases, policies, users, grants,
// continuous queries, subscriptions. Each is one call to whoever keeps these; none has a table.

import { UserError } from '../../errors.js'
import type { InfluxqlScope } from '../scope/scope.js'
import type { ManageStatement } from '../syntax/ast.js'
import { createContinuousQuery } from './continuous-query.js'
import { killQuery } from './show-system.js'

export async function manage(statement: ManageStatement, scope: InfluxqlScope): Promise<void> {
  const { databases } = scope
  switch (statement.kind) {
    case 'create-database':
      return databases.create(statement.name, statement.policy)
    case 'drop-database':
      return databases.drop(statement.name)
    case 'create-retention-policy':
    case 'alter-retention-policy': {
      const { database, name, options, isDefault } = statement
      if (statement.kind === 'create-retention-policy') {
        return databases.createPolicy(database, name, options, isDefault)
      }
      return databases.alterPolicy(database, name, options, isDefault)
    }
    case 'drop-retention-policy':
      return databases.dropPolicy(statement.database, statement.name)
    case 'create-user':
      return databases.createUser(statement.name, statement.password, statement.admin)
    case 'drop-user':
      return databases.dropUser(statement.name)
    case 'set-password':
      return databases.setPassword(statement.name, statement.password)
    case 'grant':
      return databases.grant(statement.user, statement.database, statement.privilege)
    case 'revoke':
      return databases.revoke(statement.user, statement.database, statement.privilege)
    case 'grant-admin':
    case 'revoke-admin':
      return databases.setAdmin(statement.user, statement.kind === 'grant-admin')
    case 'create-continuous-query':
      return createContinuousQuery(statement, scope)
    case 'drop-continuous-query':
      return databases.dropContinuousQuery(statement.database, statement.name)
    case 'create-subscription': {
      const { database, policy, name, mode, destinations } = statement
      destinations.forEach(requireDestination)
      return databases.createSubscription({ database, policy, name, mode, destinations })
    }
    case 'drop-subscription':
      return databases.dropSubscription(statement.database, statement.policy, statement.name)
    case 'kill-query':
      return killQuery(statement.id, scope)
  }
}

const schemes = new Set(['udp:', 'http:', 'https:'])

/** A port must be written out, also the usual one. */
function requireDestination(text: string): void {
  const isGood = URL.canParse(text) && schemes.has(new URL(text).protocol)
  if (isGood && /^[a-z]+:\/\/[^/?#]*:\d+([/?#]|$)/i.test(text)) return
  throw new UserError('invalid', `invalid subscription URL: ${text}`)
}
