// What commands are called with. Arguments that are wrong end a command with exit code 2, unlike
// whatever fails later.

import { environmentName, type Flags, findFlag, type KnownFlag, parseFlags } from '../config.js'
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
  { flag: 'data-dir', placeholder: 'DIR', help: 'the data folder, which nobody serves' },
  { flag: 'host', placeholder: 'URL', help: 'or a running server [MILLRACE_HOST]' },
  { flag: 'token', placeholder: 'TOKEN', help: 'its token' },
  { flag: 'org', placeholder: 'NAME', help: 'the organization, where the token has several' },
  { flag: 'bucket', placeholder: 'NAME|ID,...', help: 'which buckets [all]' },
  {
    flag: 'format',
    placeholder: 'NAME',
    help: 'lp, csv, parquet, influx (for influx -import) [lp]',
  },
  { flag: 'out', placeholder: 'DIR', help: 'files below this folder; those that are there stay' },
  { flag: 'by-day', placeholder: '', help: 'a file for each day of UTC' },
  { flag: 'compress', placeholder: 'none|gzip|zstd', help: 'pack what is written [none]' },
  { flag: 'measurement', placeholder: 'NAME', help: 'only this measurement' },
  { flag: 'start', placeholder: 'TIME', help: 'from this moment on (RFC3339 or nanoseconds)' },
  { flag: 'stop', placeholder: 'TIME', help: 'up to this moment (RFC3339 or nanoseconds)' },
  { flag: 'json', placeholder: '', help: 'with --out: tell what was done as JSON' },
] as const

export const checkFlags = [
  { flag: 'repair', placeholder: '', help: 'set aside what is damaged, so that the rest opens' },
  { flag: 'json', placeholder: '', help: 'tell it as JSON' },
] as const

export const migrateFlags = [
  { flag: 'from', placeholder: 'URL|DIR', help: 'what to move: a server, a data folder, a backup' },
  {
    flag: 'to',
    placeholder: 'URL|DIR',
    help: 'where to: a Millrace, an InfluxDB 1.x, or a data folder',
  },
  { flag: 'data-dir', placeholder: 'DIR', help: "what to move: a data folder of Millrace's own" },
  { flag: 'store', placeholder: 'URL', help: 'where to: points into this ClickHouse ...' },
  { flag: 'store-password-file', placeholder: 'FILE', help: 'the file that holds its password' },
  { flag: 'catalog', placeholder: 'URL', help: '... and everything else into this PostgreSQL' },
  { flag: 'catalog-password-file', placeholder: 'FILE', help: 'the file that holds its password' },
  { flag: 'from-store', placeholder: 'URL', help: 'the same as what to move: the way back' },
  { flag: 'from-store-password-file', placeholder: 'FILE', help: 'the file with its password' },
  { flag: 'from-catalog', placeholder: 'URL', help: 'the catalog that belongs to it' },
  { flag: 'from-catalog-password-file', placeholder: 'FILE', help: 'the file with its password' },
  { flag: 'from-token', placeholder: 'TOKEN', help: 'for the server that is read' },
  { flag: 'from-username', placeholder: 'NAME', help: 'the same with a name and a password' },
  { flag: 'from-password', placeholder: 'TEXT', help: 'its password' },
  { flag: 'from-org', placeholder: 'NAME', help: 'its organization, where it has several' },
  {
    flag: 'read-by',
    placeholder: 'NAME',
    help: 'how a server is read: backup, influxql, flux, flight, sql [by its version]',
  },
  { flag: 'to-token', placeholder: 'TOKEN', help: 'for the server that is written to' },
  { flag: 'org', placeholder: 'NAME', help: 'the organization that is written to' },
  { flag: 'dry-run', placeholder: '', help: 'say what would be done, and do nothing' },
  { flag: 'database', placeholder: 'NAME,...', help: 'only these databases' },
  { flag: 'rename', placeholder: 'OLD=NEW,...', help: 'databases that get another name' },
  { flag: 'measurement', placeholder: 'NAME,...', help: 'only these measurements' },
  { flag: 'start', placeholder: 'TIME', help: 'from this moment on (RFC3339 or nanoseconds)' },
  { flag: 'stop', placeholder: 'TIME', help: 'up to this moment (RFC3339 or nanoseconds)' },
  { flag: 'drop-tag', placeholder: 'NAME,...', help: 'tags that stay behind' },
  { flag: 'rename-tag', placeholder: 'OLD=NEW,...', help: 'tags that get another name' },
  { flag: 'into', placeholder: '', help: 'write into databases that are there already' },
  { flag: 'passes', placeholder: 'N', help: 'looks at what has changed meanwhile [5]' },
  { flag: 'readers', placeholder: 'N', help: 'parts of the source that are read at once [2, 1]' },
  { flag: 'skip-damaged', placeholder: '', help: 'leave damaged blocks out and name them' },
  { flag: 'no-verify', placeholder: '', help: 'do not count and compare both sides at the end' },
  { flag: 'journal', placeholder: 'FILE', help: 'where to note what is done, for going on later' },
  { flag: 'json', placeholder: '', help: 'one JSON object a line, for programs' },
] as const

/** A flag of the commands that talk to a running server. */
export interface CommandFlag extends KnownFlag {
  readonly help: string
}

const connectionFlags: readonly CommandFlag[] = [
  { flag: 'host', placeholder: 'URL', help: 'where the server is [http://127.0.0.1:8086]' },
  { flag: 'token', placeholder: 'TOKEN', help: 'the admin token' },
]

const s3Flag: CommandFlag = {
  flag: 's3-endpoint',
  placeholder: 'URL',
  help: 'of s3://…: a server that speaks like S3 [AWS_ENDPOINT_URL, or Amazon]',
}

export const backupFlags: readonly CommandFlag[] = [
  ...connectionFlags,
  {
    flag: 'data-dir',
    placeholder: 'DIR',
    help: 'back up this folder, which nobody serves, instead',
  },
  { flag: 'bucket', placeholder: 'NAME|ID,...', help: 'the points of these buckets alone [all]' },
  { flag: 'keep', placeholder: 'N', help: 'then remove all but the newest N backups of the same' },
  s3Flag,
  { flag: 'json', placeholder: '', help: 'print JSON, for programs' },
]

export const restoreFlags: readonly CommandFlag[] = [
  { flag: 'backup', placeholder: 'NAME', help: 'which backup of the folder [the newest]' },
  {
    flag: 'wal-archive',
    placeholder: 'DIR,...',
    help: 'then what is in these logs: the archive, and store/wal of the old folder',
  },
  { flag: 'until', placeholder: 'TIME', help: 'as it was at this moment (RFC3339) [all of it]' },
  { flag: 'data-dir', placeholder: 'DIR', help: 'the new data folder; must be empty' },
  { flag: 'bucket', placeholder: 'NAME|ID', help: 'or: only this bucket, into a running server' },
  { flag: 'as', placeholder: 'NAME', help: 'what the bucket is called there' },
  { flag: 'org', placeholder: 'NAME', help: 'its organization there, where it is another' },
  { flag: 'into', placeholder: '', help: 'also where the bucket is there already' },
  {
    flag: 'work-dir',
    placeholder: 'DIR',
    help: 'where there is room to unpack [the temporary folder]',
  },
  { flag: 'json', placeholder: '', help: 'tell what was done as JSON' },
  s3Flag,
  ...connectionFlags,
]

/** Of `import` and `write`. */
export const importFlags: readonly CommandFlag[] = [
  ...connectionFlags,
  { flag: 'bucket', placeholder: 'NAME', help: 'the bucket to write to' },
  { flag: 'org', placeholder: 'NAME', help: 'its organization, where the token has several' },
  { flag: 'database', placeholder: 'NAME', help: 'or the v1 database; a file may name it itself' },
  { flag: 'policy', placeholder: 'NAME', help: 'its retention policy' },
  {
    flag: 'format',
    placeholder: 'NAME',
    help: 'lp, csv, jsonl or parquet [by the name of the file]',
  },
  { flag: 'measurement', placeholder: 'NAME', help: 'of rows that name none' },
  {
    flag: 'columns',
    placeholder: 'NAME=TYPE,...',
    help: 'what columns are: tag, double, time, ...',
  },
  { flag: 'precision', placeholder: 'ns|us|ms|s', help: 'of times that are numbers [ns]' },
  { flag: 'timezone', placeholder: 'ZONE', help: 'of times without one: +0100, Europe/Berlin' },
  { flag: 'separator', placeholder: 'CHAR', help: 'between the cells of CSV [,]' },
  {
    flag: 'header',
    placeholder: 'LINE',
    help: 'a line of CSV before the first of the file; may be given several times',
    repeats: true,
  },
  { flag: 'skip-header', placeholder: 'N', help: 'do not look at the first lines of CSV' },
  { flag: 'encoding', placeholder: 'NAME', help: 'of text that is not UTF-8' },
  {
    flag: 'rate-limit',
    placeholder: 'RATE',
    help: 'send no faster: "5 MB / 5 min", of line protocol',
  },
  {
    flag: 'dry-run',
    placeholder: '',
    help: 'show what would become of the file, and write nothing',
  },
  { flag: 'yes', placeholder: '', help: 'do not ask whether what was guessed is right' },
  { flag: 'skip-lines', placeholder: 'N', help: 'go on behind these lines of the first file' },
  { flag: 'errors-max', placeholder: 'N', help: 'stop when more lines are refused [1000]' },
  { flag: 'errors-file', placeholder: 'FILE', help: 'where to put what is refused, with reasons' },
  { flag: 'json', placeholder: '', help: 'tell what was done as JSON' },
]

export const queryFlags: readonly CommandFlag[] = [
  ...connectionFlags,
  { flag: 'language', placeholder: 'influxql|sql|flux', help: 'what the query is [influxql]' },
  { flag: 'database', placeholder: 'NAME', help: 'which database or bucket is asked' },
  { flag: 'org', placeholder: 'NAME', help: 'of a Flux query, where the token has several' },
  { flag: 'format', placeholder: 'table|csv|json', help: 'how to print [table]' },
  { flag: 'watch', placeholder: 'SECONDS', help: 'ask again and again' },
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

const storeFlags: readonly CommandFlag[] = [
  {
    flag: 'store',
    placeholder: 'URL',
    help: 'clickhouse://USER@HOST:PORT,.../DATABASE?cluster=NAME',
  },
  {
    flag: 'store-password-file',
    placeholder: 'FILE',
    help: 'holds the password in its first line',
  },
]

export const storeActions: Readonly<Record<string, CommandAction>> = {
  init: {
    flags: [
      ...storeFlags,
      { flag: 'print', placeholder: '', help: 'print the statements, and send none' },
    ],
  },
  check: { flags: storeFlags },
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
  const { operands, others } = splitOperands(rest, wanted.flags)
  if (wanted.operand !== undefined && operands.length === 0) {
    throw new UserError('invalid', `${noun} ${action}: ${wanted.operand} is missing`)
  }
  const surplus = operands.at(wanted.operand === undefined ? 0 : 1)
  if (surplus !== undefined) throw new UserError('invalid', `unexpected argument "${surplus}"`)
  return { action, operand: operands[0] ?? '', flags: parseFlags(others, wanted.flags) }
}

/** What is neither a flag nor its value. */
export function splitOperands(
  args: readonly string[],
  flags: readonly CommandFlag[],
): { operands: string[]; others: string[] } {
  const operands: string[] = []
  const others: string[] = []
  const isSwitch = (arg: string) => findFlag(arg.slice(2), flags)?.placeholder === ''
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]
    if (!arg.startsWith('--')) operands.push(arg)
    else if (arg.includes('=') || i + 1 === args.length || isSwitch(arg)) others.push(arg)
    else others.push(arg, args[++i])
  }
  return { operands, others }
}

/** A flag, or the environment variable of that name. */
export function flagOrVariable(flags: Flags, flag: string): string | undefined {
  return flags.get(flag) ?? (process.env[environmentName(flag)] || undefined)
}
