// Help texts, made from the same tables that the options are read by, so that none can be missing
// and no default can be wrong.

import { configFlag, environmentName, options } from '../config.js'
import { exportFlags } from './arguments.js'

const overview = `Millrace, a time series data service with InfluxDB's interfaces.

  millrace serve [flags]    serve HTTP
  millrace export [flags]   print a bucket of a data folder as line protocol
  millrace help COMMAND     the flags of a command
  millrace version
`

export function helpText(command: string | undefined): string {
  if (command === 'serve') return serveHelp()
  if (command === 'export') return exportHelp()
  return overview
}

interface FlagLine {
  readonly flag: string
  readonly placeholder: string
  readonly help: string
}

function flagLine({ flag, placeholder, help }: FlagLine): string {
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
  return `millrace export [flags]\n\n${lines}\nThe folder must not be served at the same time.\n`
}
