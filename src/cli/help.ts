// Help texts, made from the same tables that the options are read by, so that none can be missing
// and no default can be wrong.

import { configFlag, environmentName, options } from '../config.js'
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
  UsageError,
} from './arguments.js'
import { commandTable } from './command-table.js'

const overview = `Millrace, a time series data service with InfluxDB's interfaces.

  millrace serve [flags]    serve HTTP; millrace alone serves in ./millrace-data
  millrace export [flags]   buckets of a folder or a server as line protocol, CSV or Parquet
  millrace import FILE...   write line protocol, CSV, JSON lines or Parquet to a running server
  millrace check DIR        look for damage in a data folder that nobody serves
  millrace write            the same from standard input
  millrace query TEXT       ask a running server in InfluxQL, SQL or Flux
  millrace migrate [flags]  move an InfluxDB, or another Millrace, with everything in it
  millrace backup DIR       copy everything of a running server; backup list, backup verify
  millrace restore DIR      put a backup into a new folder, or a bucket of it into a server
  millrace database ACTION  create, list, update or delete databases of a running cluster
  millrace token ACTION     create, list or revoke database tokens of a running cluster
  millrace store ACTION     make or check the tables of a store on ClickHouse
  millrace service install  print a unit for systemd, with the flags that follow
  millrace completion SHELL completion for bash, zsh or fish
  millrace man              the man page
  millrace help COMMAND     the flags of a command
  millrace version
`

export function helpText(command: string | undefined): string {
  if (command === 'serve') return serveHelp()
  if (command === 'export') return exportHelp()
  if (command === 'import' || command === 'write') return importHelp(command)
  if (command === 'query') return queryHelp()
  if (command === 'check') return checkHelp()
  if (command === 'migrate') return migrateHelp()
  if (command === 'backup') return backupHelp()
  if (command === 'restore') return restoreHelp()
  if (command === 'database') return actionsHelp('database', databaseActions)
  if (command === 'token') return actionsHelp('token', tokenActions)
  if (command === 'store') return storeHelp()
  if (command === undefined || commandTable.some(({ name }) => name === command)) return overview
  throw new UsageError(`unknown command "${command}"`)
}

function flagLine({ flag, placeholder, help }: CommandFlag): string {
  return `  ${`--${flag} ${placeholder}`.trimEnd().padEnd(32)} ${help}\n`
}

function serveHelp(): string {
  let text = 'millrace serve [flags]\n\n'
  for (const option of options) {
    const help = `${option.help}${defaultText(option.default)}`
    text += flagLine({ flag: option.flag, placeholder: option.placeholder, help })
  }
  text += flagLine(configFlag)
  const variable = environmentName('http-address')
  return `${text}
Each flag is also read from the environment (${variable}) and from the config file;
flags win over the environment, the environment over the file.
`
}

function defaultText(value: unknown): string {
  if (value === undefined || value === false) return ''
  if (typeof value !== 'object' || value === null) return ` [${value}]`
  return ` [${Object.values(value).join(':')}]`
}

function exportHelp(): string {
  const lines = exportFlags.map(flagLine).join('')
  return `millrace export [flags]

${lines}
Without --out everything goes to standard output. Starting it again writes the files that are
missing. The folder must not be served at the same time.
`
}

function importHelp(command: string): string {
  return `millrace ${command} [FILE...] [flags]

${importFlags.map(flagLine).join('')}
Files may be packed with gzip or zstd; - is standard input. Exports of influx_inspect name their
database themselves. What the types of columns are: docs/import.md.
`
}

function checkHelp(): string {
  return `millrace check DIR [flags]

${checkFlags.map(flagLine).join('')}
The folder must not be served at the same time. Exit codes: 0 whole, 1 failed, 2 called wrongly,
3 damaged. What each kind of damage means: docs/recovery.md.
`
}

function queryHelp(): string {
  return `millrace query TEXT [flags]\n\n${queryFlags.map(flagLine).join('')}`
}

function migrateHelp(): string {
  return `millrace migrate --from URL|DIR --to URL|DIR [flags]

${migrateFlags.map(flagLine).join('')}
Starting it again goes on where it ended. Exit codes: 0 done and the same on both sides, 1 failed,
2 called wrongly, 3 the two sides differ.
`
}

function backupHelp(): string {
  return `millrace backup DIR|s3://BUCKET/PREFIX|- [flags]
millrace backup list DIR|s3://BUCKET/PREFIX
millrace backup verify DIR|s3://BUCKET/PREFIX [NAME]

${backupFlags.map(flagLine).join('')}
DIR may hold any number of backups: what an earlier one has is not copied again. - prints one
archive. S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and knows AWS_REGION, AWS_SESSION_TOKEN
and AWS_ENDPOINT_URL. Exit codes: 0 done, 1 failed, 2 called wrongly, 3 something is damaged or missing.
`
}

function restoreHelp(): string {
  return `millrace restore DIR|s3://BUCKET/PREFIX|- --data-dir DIR [flags]
millrace restore DIR|s3://BUCKET/PREFIX|- --bucket NAME [flags]

${restoreFlags.map(flagLine).join('')}`
}

function storeHelp(): string {
  const texts = Object.entries(storeActions).map(([action, { flags }]) => {
    return `millrace store ${action} [flags]\n\n${flags.map(flagLine).join('')}`
  })
  const variables = `${environmentName('store')} and ${environmentName('store-password-file')}`
  return `${texts.join('\n')}\nBoth are also read from ${variables}.\n`
}

function actionsHelp(noun: string, actions: Readonly<Record<string, CommandAction>>): string {
  const texts = Object.entries(actions).map(([action, { operand, flags }]) => {
    const usage = ['millrace', noun, action, ...(operand === undefined ? [] : [operand]), '[flags]']
    return `${usage.join(' ')}\n\n${flags.map(flagLine).join('')}`
  })
  const variables = `${environmentName('host')} and ${environmentName('token')}`
  return `${texts.join('\n')}\nThe host and the token are also read from ${variables}.\n`
}
