// The man page: `millrace man > millrace.1`, or `millrace man | man -l -`. Made of the table of commands, so that it
// names every flag there is.

import { environmentName, options } from '../config.js'
import { programVersion } from '../http/base/version.js'
import { commandTable } from './command-table.js'

export function manPage(): string {
  const commands = commandTable.map(({ name, words, summary, flags }) => {
    const word = words.length === 0 ? '' : ` [${words.join('|')}]`
    const list = flags.map(
      ({ flag, placeholder, help }) =>
        `.TP\n.B \\-\\-${plain(flag)} ${plain(placeholder)}\n${plain(help)}\n`,
    )
    return `.SS millrace ${name}${plain(word)}\n${plain(summary)}\n${list.join('')}`
  })
  const variables = options.map(
    ({ flag }) => `.TP\n.B ${environmentName(flag)}\n\\-\\-${plain(flag)}\n`,
  )
  return `.TH MILLRACE 1 "" "millrace ${programVersion}" "Millrace"
.SH NAME
millrace \\- a time series data service with InfluxDB's interfaces
.SH SYNOPSIS
.B millrace
[COMMAND] [flags]
.SH DESCRIPTION
Serves InfluxDB's v1, v2 and v3 interfaces, with InfluxQL, Flux and SQL on the same points. Without a command it serves
in ./millrace\\-data.
.SH COMMANDS
${commands.join('')}.SH ENVIRONMENT
Flags win over the environment, the environment over the config file.
${variables.join('')}.SH EXIT STATUS
0 done, 1 failed, 2 called wrongly; migrate, check and backup have 3 for differences and damage.
`
}

/** Characters that mean something to troff. A line must not begin with a dot or a quote. */
function plain(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-')
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}
