// What `import` and `write` are called with: files with their formats, where their points go, and what is said about
// columns that the files do not say themselves.

import { type Flags, parseFlags } from '../config.js'
import { UserError } from '../errors.js'
import { checkOptions, type FileFormat, fileFormats, formatOf } from '../formats/point-batches.js'
import { columnOf, type FormatOptions } from '../formats/points/point-column.js'
import type { Precision } from '../line-protocol/parser.js'
import { V1Client } from '../migrate/connection/v1-client.js'
import { flagOrVariable, importFlags, splitOperands } from './arguments.js'
import { type LineInput, openInput } from './line-input.js'
import { bytesPerSecond, SendingPace } from './sending-pace.js'

const precisions: readonly string[] = ['ns', 'us', 'ms', 's']

export interface ImportInput extends LineInput {
  readonly format: FileFormat
}

export interface ImportArguments {
  readonly inputs: readonly ImportInput[]
  readonly client: V1Client
  readonly bucket: string | undefined
  readonly org: string | undefined
  readonly database: string | undefined
  readonly policy: string | undefined
  readonly precision: Precision
  /** Of all formats but line protocol. */
  readonly options: FormatOptions
  /** Absent: as fast as the server takes it. */
  readonly pace: SendingPace | undefined
  readonly skipLines: number
  readonly errorsMax: number
  readonly errorsFile: string | undefined
  readonly isDryRun: boolean
  /** Nobody is asked whether what was guessed is right. */
  readonly isSure: boolean
  readonly isJson: boolean
}

export function readImportArguments(args: readonly string[]): ImportArguments {
  const { operands, others } = splitOperands(args, importFlags)
  const flags = parseFlags(others, importFlags)
  const precision = flags.get('precision')
  if (precision !== undefined && !precisions.includes(precision)) {
    throw new UserError(
      'invalid',
      `flag --precision: "${precision}" is not one of ${precisions.join(', ')}`,
    )
  }
  const host = flagOrVariable(flags, 'host') ?? 'http://127.0.0.1:8086'
  const isDryRun = flags.has('dry-run')
  const inputs = (operands.length === 0 ? ['-'] : operands).map((name) => inputOf(name, flags))
  const options = {
    measurement: flags.get('measurement'),
    columns: columnsOf(flags.get('columns')),
    precision: precision as Precision | undefined,
    zone: flags.get('timezone'),
    separator: flags.get('separator'),
    encoding: flags.get('encoding'),
    header: flags.get('header')?.split('\n'),
    skipHeader: count(flags, 'skip-header', 0),
  }
  for (const { format } of inputs) checkOptions(format, options)
  return {
    inputs,
    client: new V1Client(host, { token: flagOrVariable(flags, 'token') }),
    bucket: flags.get('bucket'),
    org: flags.get('org'),
    database: flags.get('database'),
    policy: flags.get('policy'),
    precision: (precision ?? 'ns') as Precision,
    options,
    pace: paceOf(flags.get('rate-limit')),
    skipLines: count(flags, 'skip-lines', 0),
    errorsMax: count(flags, 'errors-max', 1000),
    errorsFile: flags.get('errors-file'),
    isDryRun,
    isSure: isDryRun || flags.has('yes'),
    isJson: flags.has('json'),
  }
}

function inputOf(name: string, flags: Flags): ImportInput {
  const wanted = flags.get('format')
  const format = fileFormats.find((one) => one === wanted)
  if (wanted !== undefined && format === undefined) {
    const known = fileFormats.join(', ')
    throw new UserError('invalid', `flag --format: "${wanted}" is not one of ${known}`)
  }
  const input = { ...openInput(name), format: format ?? formatOf(name) ?? 'lp' }
  if (input.format === 'parquet' && input.path === undefined) {
    throw new UserError('invalid', 'Parquet is read from a file on this machine')
  }
  return input
}

/** `a=tag,b=double`; what stands behind a comma without a name belongs to the type before, as in `double:,.`. */
function columnsOf(text: string | undefined): Record<string, string> | undefined {
  if (text === undefined) return undefined
  const columns: Record<string, string> = {}
  for (const pair of text.split(/,(?=[^,=]+=)/)) {
    const equals = pair.indexOf('=')
    const [name, word] = [pair.slice(0, equals), pair.slice(equals + 1)]
    if (equals < 1) throw new UserError('invalid', `flag --columns: "${pair}" is not NAME=TYPE`)
    columnOf(name, word)
    columns[name] = word
  }
  return columns
}

function paceOf(rate: string | undefined): SendingPace | undefined {
  if (rate === undefined) return undefined
  try {
    return new SendingPace(bytesPerSecond(rate))
  } catch (error) {
    throw new UserError('invalid', `flag --rate-limit: ${(error as Error).message}`)
  }
}

function count(flags: Flags, flag: string, otherwise: number): number {
  const text = flags.get(flag)
  if (text === undefined) return otherwise
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UserError('invalid', `flag --${flag}: "${text}" is not a whole number`)
}
