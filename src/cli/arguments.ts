// What commands are called with. Arguments that are wrong end a command with exit code 2, unlike
// whatever fails later.

import { environmentName, type Flags, parseFlags } from '../config.js'
import { UserError } from '../errors.js'

export class UsageError extends Error {}

/** Runs what judges arguments, so that what it refuses counts as called wrongly. */
export function judgeArguments<T>(judge: () => T): T {
  try {
    return judge()
  } catch (error) {
    if (error instanceof UserError) throw new UsageError(error.message)
    throw error
  }
}

export const exportFlags = [
  { flag: 'data-dir', placeholder: 'DIR', help: 'the data folder' },
  { flag: 'bucket', placeholder: 'NAME|ID', help: 'the bucket to print' },
  { flag: 'measurement', placeholder: 'NAME', help: 'only this measurement' },
  { flag: 'start', placeholder: 'TIME', help: 'from this moment on (RFC3339 or nanoseconds)' },
  { flag: 'stop', placeholder: 'TIME', help: 'up to this moment (RFC3339 or nanoseconds)' },
] as const

/** A flag of the commands that talk to a running server. */
export interface CommandFlag {
  readonly flag: string
  readonly placeholder: string
  readonly help: string
}

const connectionFlags: readonly CommandFlag[] = [
  { flag: 'host', placeholder: 'URL', help: 'where the server is [http://127.0.0.1:8086]' },
  { flag: 'token', placeholder: 'TOKEN', help: 'the admin token' },
]

const formatFlag = { flag: 'format', placeholder: 'table|json', help: 'how to print [table]' }

const retentionFlag = {
  flag: 'retention-period',
  placeholder: 'DURATION',
  help: 'how long points are kept: 30d, 12h, or none for ever',
}

/** What can be done with a thing: what it is called by, and the flags that it takes. */
export interface CommandAction {
  /** The word after the action; absent: there is none. */
  readonly operand?: string
  readonly flags: readonly CommandFlag[]
}

export const databaseActions: Readonly<Record<string, CommandAction>> = {
  create: { operand: 'NAME', flags: [retentionFlag, ...connectionFlags] },
  list: { flags: [formatFlag, ...connectionFlags] },
  update: { operand: 'NAME', flags: [retentionFlag, ...connectionFlags] },
  delete: { operand: 'NAME', flags: connectionFlags },
}

export const tokenActions: Readonly<Record<string, CommandAction>> = {
  create: {
    flags: [
      { flag: 'database', placeholder: 'NAME,...', help: 'which databases; * for all of them' },
      { flag: 'permission', placeholder: 'read,write', help: 'what may be done there' },
      { flag: 'expires', placeholder: 'TIME', help: 'when it ends: 90d, or RFC3339 [never]' },
      { flag: 'name', placeholder: 'TEXT', help: 'what it is called in lists' },
      ...connectionFlags,
    ],
  },
  list: {
    flags: [
      { flag: 'database', placeholder: 'NAME', help: 'only tokens that name this database' },
      formatFlag,
      ...connectionFlags,
    ],
  },
  revoke: { operand: 'ID', flags: connectionFlags },
}

export interface ActionArguments {
  readonly action: string
  /** Empty where the action takes none. */
  readonly operand: string
  readonly flags: Flags
}

/** `ACTION [OPERAND] [flags]`; the operand may also stand after the flags. */
export function parseAction(
  noun: string,
  args: readonly string[],
  actions: Readonly<Record<string, CommandAction>>,
): ActionArguments {
  const [action = '', ...rest] = args
  const wanted = Object.hasOwn(actions, action) ? actions[action] : undefined
  if (wanted === undefined) {
    const names = Object.keys(actions).join(', ')
    const problem = action === '' ? 'what to do is missing' : `unknown action "${action}"`
    throw new UserError('invalid', `${noun}: ${problem}, one of ${names}`)
  }
  const { operands, others } = splitOperands(rest)
  if (wanted.operand !== undefined && operands.length === 0) {
    throw new UserError('invalid', `${noun} ${action}: ${wanted.operand} is missing`)
  }
  const surplus = operands.at(wanted.operand === undefined ? 0 : 1)
  if (surplus !== undefined) throw new UserError('invalid', `unexpected argument "${surplus}"`)
  return { action, operand: operands[0] ?? '', flags: parseFlags(others, wanted.flags) }
}

/** What is neither a flag nor its value. Every flag of these commands has one. */
function splitOperands(args: readonly string[]): { operands: string[]; others: string[] } {
  const operands: string[] = []
  const others: string[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]
    if (!arg.startsWith('--')) operands.push(arg)
    else if (arg.includes('=') || i + 1 === args.length) others.push(arg)
    else others.push(arg, args[++i])
  }
  return { operands, others }
}

/** A flag, or the environment variable of that name. */
export function flagOrVariable(flags: Flags, flag: string): string | undefined {
  return flags.get(flag) ?? (process.env[environmentName(flag)] || undefined)
}
