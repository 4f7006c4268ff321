// Picks the command. Exit codes: 0 done, 1 failed, 2 called wrongly; commands may
// have further ones. A command's parts are loaded
// when it is called: help and complaints should not wait for a server's worth of modules.

import { programVersion } from '../http/base/version.js'
import { UsageError } from './arguments.js'
import { commandTable } from './command-table.js'
import { helpText } from './help.js'

export async function runCommand(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  try {
    if (rest.includes('--help') || rest.includes('-h')) return print(helpText(name))
    switch (name) {
      // Without a word it serves: `npx millrace` is all that somebody needs who tries it.
      case undefined:
      case 'serve':
        return await (await import('./serve.js')).serveCommand(rest)
      case 'export':
        return await (await import('./export.js')).exportCommand(rest)
      case 'import':
      case 'write':
        return await (await import('./import.js')).importCommand(rest)
      case 'query':
        return await (await import('./query.js')).queryCommand(rest)
      case 'check':
        return await (await import('./check.js')).checkCommand(rest)
      case 'migrate':
        return await (await import('./migrate.js')).migrateCommand(rest)
      case 'backup':
        return await (await import('./backup.js')).backupCommand(rest)
      case 'restore':
        return await (await import('./restore.js')).restoreCommand(rest)
      case 'database':
        return await (await import('./database.js')).databaseCommand(rest)
      case 'token':
        return await (await import('./token.js')).tokenCommand(rest)
      case 'store':
        return await (await import('./store.js')).storeCommand(rest)
      case 'completion':
        return print((await import('./completion.js')).completionText(rest[0]))
      case 'man':
        return print((await import('./man-page.js')).manPage())
      case 'service': {
        const { serviceText } = await import('./service-unit.js')
        return print(serviceText(rest, [process.execPath, process.argv[1]]))
      }
      case 'version':
      case '--version':
        return print(`millrace ${programVersion}\n`)
      case 'help':
      case '--help':
      case '-h':
        return print(helpText(rest[0]))
      default:
        // Flags alone are those of serving.
        if (/^--./.test(name)) return await (await import('./serve.js')).serveCommand(args)
        throw new UsageError(`unknown command "${name}"`)
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(`millrace: ${message}\n`)
    if (!(error instanceof UsageError)) return 1
    const known = commandTable.some((one) => one.name === name && one.flags.length > 0)
    process.stderr.write(`Try "millrace help${known ? ` ${name}` : ''}".\n`)
    return 2
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}
