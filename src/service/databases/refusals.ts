// How requests for databases are refused, in the words that v1 programs look for. What is missing is
// told from what may not be used only to those who may see the database.

import { UserError } from '../../errors.js'

export function databaseNotFound(database: string): UserError {
  return new UserError('not found', `database not found: ${database}`)
}

export function policyNotFound(policy: string): UserError {
  return new UserError('not found', `retention policy not found: ${policy}`)
}

export function noDefaultPolicy(database: string): UserError {
  return new UserError('invalid', `default retention policy not set for: ${database}`)
}

export function policyConflict(): UserError {
  return new UserError('conflict', 'retention policy conflicts with an existing policy')
}

export function insufficientPermissions(): UserError {
  return new UserError('unauthorized', 'insufficient permissions')
}
