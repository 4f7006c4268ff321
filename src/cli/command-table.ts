// Every command with its flags in one table, for what is made of all of them: shell completion and the man page. The
// tables themselves are those that the arguments are read by, so that neither can tell of a flag that is not there.

import { serveFlags } from '../config.js'
import {
  backupFlags,
  type CommandAction,
  type CommandFlag,
  checkFlags,
  databaseActions,
  exportFlags,
  importFlags,
  migrateFlags,
  queryFlags,
  restoreFlags,
  storeActions,
  tokenActions,
} from './arguments.js'

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** What may stand after its name. */
  readonly words: readonly string[]
  readonly flags: readonly CommandFlag[]
}

export const commandTable: readonly CommandEntry[] = [
  entry('serve', 'serve HTTP; the same without any command', serveFlags),
  entry('export', 'buckets as line protocol, CSV or Parquet', exportFlags),
  entry('import', 'write files to a running server', importFlags),
  entry('write', 'write standard input to a running server', importFlags),
  entry('query', 'ask a running server in InfluxQL, SQL or Flux', queryFlags),
  entry('check', 'look for damage in a data folder', checkFlags),
  entry('migrate', 'move an InfluxDB, or another Millrace', migrateFlags),
  entry('backup', 'copy everything of a running server', backupFlags, ['list', 'verify']),
  entry('restore', 'put a backup back', restoreFlags),
  withActions('database', 'databases of a running cluster', databaseActions),
  withActions('token', 'database tokens of a running cluster', tokenActions),
  withActions('store', 'the tables of a store on ClickHouse', storeActions),
  entry('service', 'print a unit for systemd', serveFlags, ['install']),
  entry('completion', 'print completion for a shell', [], ['bash', 'zsh', 'fish']),
  entry('man', 'print the man page', []),
  entry('help', 'the flags of a command', []),
  entry('version', 'the version of this program', []),
]

function entry(
  name: string,
  summary: string,
  flags: readonly CommandFlag[],
  words: readonly string[] = [],
): CommandEntry {
  return { name, summary, flags, words }
}

function withActions(
  name: string,
  summary: string,
  actions: Readonly<Record<string, CommandAction>>,
): CommandEntry {
  const flags = new Map<string, CommandFlag>()
  for (const action of Object.values(actions)) {
    for (const flag of action.flags) flags.set(flag.flag, flag)
  }
  return { name, summary, flags: [...flags.values()], words: Object.keys(actions) }
}
