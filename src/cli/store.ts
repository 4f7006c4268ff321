// `store`: makes the tables of a store on ClickHouse, or prints the statements for whoever may make them, and says
// whether everything is there. Only needed for `--store clickhouse://...`.

import { readFileSync } from 'node:fs'
import { UserError } from '../errors.js'
import { requireAddress } from '../store/clickhouse/address.js'
import { judgeArguments, parseAction, storeActions } from './arguments.js'

export async function storeCommand(args: readonly string[]): Promise<number> {
  const { action, address, isPrinted } = judgeArguments(() => readArguments(args))
  // The client of ClickHouse is loaded by those who need it.
  const { checkStore, makeTables, tableStatements } = await import('../store/clickhouse/open.js')
  if (isPrinted) {
    process.stdout.write(
      tableStatements(address)
        .map((sql) => `${sql};\n`)
        .join(''),
    )
    return 0
  }
  if (action === 'init') {
    await makeTables(address, complain)
    process.stdout.write(`The tables of the store are there, in database ${address.database}.\n`)
    return 0
  }
  const { lines, isGood } = await checkStore(address, complain)
  process.stdout.write(`${lines.join('\n')}\n`)
  return isGood ? 0 : 1
}

function complain(level: string, message: string, fields: object = {}): void {
  if (level === 'warn' || level === 'error') {
    process.stderr.write(`millrace: ${message} ${JSON.stringify(fields)}\n`)
  }
}

function readArguments(args: readonly string[]) {
  const { action, flags } = parseAction('store', args, storeActions)
  const store = flags.get('store') ?? process.env.MILLRACE_STORE
  if (store === undefined) throw new UserError('invalid', 'flag --store is required')
  const file = flags.get('store-password-file') ?? process.env.MILLRACE_STORE_PASSWORD_FILE
  const address = requireAddress(store, file === undefined ? undefined : passwordIn(file))
  return { action, address, isPrinted: flags.has('print') }
}

function passwordIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[0]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UserError('invalid', `flag --store-password-file: ${reason}`)
  }
}
