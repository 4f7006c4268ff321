// `query`: asks a running server in one of its three languages and prints the answer, once or again
// and again.

import { setTimeout } from 'node:timers/promises'
import { parseFlags } from '../config.js'
import { UserError } from '../errors.js'
import { V1Client } from '../migrate/connection/v1-client.js'
import { flagOrVariable, judgeArguments, queryFlags, splitOperands } from './arguments.js'
import { fluxBoxes, fluxRows, readFluxAnswer } from './flux-answer.js'

const languages: readonly string[] = ['influxql', 'sql', 'flux']
const formats: readonly string[] = ['table', 'csv', 'json']

interface QueryArguments {
  readonly client: V1Client
  readonly text: string
  readonly language: string
  readonly format: string
  readonly database: string | undefined
  readonly org: string | undefined
  /** 0: asked once. */
  readonly watchSeconds: number
}

export async function queryCommand(args: readonly string[]): Promise<number> {
  const wanted = judgeArguments(() => readArguments(args))
  const text = wanted.text === '-' ? await standardInput() : wanted.text
  for (;;) {
    const { answer, failure } = await ask(wanted, text)
    // Drawn in place, as `watch` does.
    if (wanted.watchSeconds > 0 && process.stdout.isTTY) process.stdout.write('\x1b[2J\x1b[H')
    process.stdout.write(answer.endsWith('\n') || answer === '' ? answer : `${answer}\n`)
    if (failure !== undefined) throw new Error(`the script failed: ${failure}`)
    if (wanted.watchSeconds === 0) return 0
    await setTimeout(wanted.watchSeconds * 1000)
  }
}

interface Answered {
  readonly answer: string
  /** Why it ended early. */
  readonly failure?: string | undefined
}

async function ask(wanted: QueryArguments, text: string): Promise<Answered> {
  const { client, language, format, database } = wanted
  if (language === 'flux') return askFlux(wanted, text)
  const body = {
    q: text,
    format: format === 'table' ? 'pretty' : format,
    ...(database && { db: database }),
  }
  const headers = { 'content-type': 'application/json' }
  const answer = await client.text(`api/v3/query_${language}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return { answer }
}

async function askFlux(wanted: QueryArguments, query: string): Promise<Answered> {
  const { client, format, org } = wanted
  const path = org === undefined ? 'api/v2/query' : `api/v2/query?${new URLSearchParams({ org })}`
  const headers = { 'content-type': 'application/json', accept: 'text/csv' }
  const annotations = format === 'csv' ? [] : ['datatype', 'group', 'default']
  const body = JSON.stringify({ query, type: 'flux', dialect: { annotations } })
  const text = await client.text(path, { method: 'POST', headers, body })
  const answer = await readFluxAnswer(text)
  const { failure } = answer
  if (format === 'csv') return { answer: text, failure }
  const rows = () => JSON.stringify(fluxRows(answer))
  return { answer: format === 'json' ? rows() : fluxBoxes(answer), failure }
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function readArguments(args: readonly string[]): QueryArguments {
  const { operands, others } = splitOperands(args, queryFlags)
  const flags = parseFlags(others, queryFlags)
  if (operands.length !== 1)
    throw new UserError('invalid', 'one query is expected, or - for standard input')
  const language = flags.get('language') ?? 'influxql'
  const format = flags.get('format') ?? 'table'
  if (!languages.includes(language)) throw notOneOf('language', language, languages)
  if (!formats.includes(format)) throw notOneOf('format', format, formats)
  const watch = flags.get('watch') ?? '0'
  if (!/^\d{1,6}$/.test(watch))
    throw new UserError('invalid', `flag --watch: "${watch}" is not a number of seconds`)
  const host = flagOrVariable(flags, 'host') ?? 'http://127.0.0.1:8086'
  return {
    client: new V1Client(host, { token: flagOrVariable(flags, 'token') }),
    text: operands[0],
    language,
    format,
    database: flags.get('database'),
    org: flags.get('org'),
    watchSeconds: Number(watch),
  }
}

function notOneOf(flag: string, value: string, possible: readonly string[]): UserError {
  return new UserError('invalid', `flag --${flag}: "${value}" is not one of ${possible.join(', ')}`)
}
