// Requests as clients send them and what the client needs of each answer, as text, for clients that cannot be run here.
// A file is one client against one fresh service (`o` is the organization, `b` the bucket), its requests in order:
//
//     # The client, its version, and where in its source the requests come from. Such lines may stand between requests.
//     @variant cluster                             (where it is not the managed one)
//
//     === what the client does
//     POST /api/v2/query?org={{org}}
//     Authorization: Token {{token}}
//     Content-Encoding: gzip                       (the body below is packed)
//
//     {"query": "buckets()"}
//     --- needs
//     status 200
//     header content-type ~ ^text/csv
//     json buckets.name=b.id = "{{bucketID}}"      (the item called b; numbers count items; `length` is theirs)
//     json error absent
//     text !~ error
//     keep json id as made                         ({{made}} from here on)
//     keep header set-cookie ~ ^([^;]+) as cookie
//
// `~` is a regular expression, `=` a JSON value (of headers and texts: the rest of the line), and a need without either
// asks that it is there and not null. `{{base64 a:b}}` is what Basic needs.

import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Answer } from '../api/client.js'

export interface RecordedRequest {
  readonly title: string
  readonly line: number
  /** Method, target, headers, an empty line and the body, with names still to be filled in. */
  readonly text: string
  readonly needs: readonly { readonly line: number; readonly text: string }[]
}

export interface Recording {
  readonly variant: 'managed' | 'cluster'
  readonly requests: readonly RecordedRequest[]
}

export function readRecording(path: string): Recording {
  const lines = readFileSync(path, 'utf8').split('\n')
  if (!lines[0].startsWith('# ')) throw new Error(`${path}:1: the first line names the client`)
  const requests: RecordedRequest[] = []
  let variant: Recording['variant'] = 'managed'
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]
    if (line === '@variant cluster') variant = 'cluster'
    else if (line.startsWith('=== ')) {
      const end = endOfRequest(lines, at)
      requests.push(requestOf(path, lines, at, end))
      at = end - 1
    } else if (line !== '' && !line.startsWith('#')) {
      throw new Error(`${path}:${at + 1}: neither a request nor a comment: ${line}`)
    }
  }
  return { variant, requests }
}

/** A request ends at the first empty line behind its needs. */
function endOfRequest(lines: readonly string[], from: number): number {
  const needs = lines.indexOf(needsMark, from)
  const end = lines.indexOf('', needs < 0 ? lines.length : needs)
  return end < 0 ? lines.length : end
}

const needsMark = '--- needs'

function requestOf(
  path: string,
  lines: readonly string[],
  from: number,
  end: number,
): RecordedRequest {
  const mark = lines.indexOf(needsMark, from)
  if (mark < 0 || mark > end) throw new Error(`${path}:${from + 1}: no "${needsMark}" follows`)
  const needs = lines.slice(mark + 1, end).map((text, i) => ({ line: mark + 2 + i, text }))
  if (needs.length === 0) throw new Error(`${path}:${from + 1}: the request needs nothing`)
  const text = lines.slice(from + 1, mark).join('\n')
  return { title: lines[from].slice(4), line: from + 1, text, needs }
}

/** What names in double braces stand for. */
export type Names = Map<string, string>

export function fill(text: string, names: Names): string {
  return text.replace(/\{\{(base64 )?([^{}]+)\}\}/g, (_, base64, name: string) => {
    if (base64 !== undefined) return Buffer.from(fill(inner(name), names)).toString('base64')
    const value = names.get(name)
    if (value === undefined) throw new Error(`nothing is called ${name}`)
    return value
  })
}

/** Within braces names are written `<name>`. */
function inner(text: string): string {
  return text.replace(/<(\w+)>/g, '{{$1}}')
}

export interface WireRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export function wireRequest({ text }: RecordedRequest, names: Names): WireRequest {
  const [head, ...rest] = fill(text, names).split('\n\n')
  const [first, ...fields] = head.split('\n')
  const [method, target] = first.split(' ')
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    }),
  )
  if (rest.length === 0) return { method, target, headers }
  const body = Buffer.from(rest.join('\n\n'))
  return {
    method,
    target,
    headers,
    body: headers['content-encoding'] === 'gzip' ? gzipSync(body) : body,
  }
}

/** What is wrong with an answer, or undefined; what is to be kept goes into the names. */
export function unmet(need: string, answer: Answer, names: Names): string | undefined {
  const keep = /^keep (.*) as (\w+)$/.exec(need)
  if (keep !== null) return keepValue(keep[1], keep[2], answer, names)
  const { value, test, wanted } = parseNeed(fill(need, names), answer)
  const shown = typeof value === 'string' ? value : JSON.stringify(value)
  if (meets(value, test, wanted, need.startsWith('json '))) return undefined
  return `needs "${need}", got ${answer.status} ${shown?.slice(0, 2000)}`
}

function keepValue(source: string, name: string, answer: Answer, names: Names): string | undefined {
  const { value, test, wanted } = parseNeed(source, answer)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const kept = test === '~' ? new RegExp(wanted).exec(text ?? '')?.[1] : text
  if (kept === undefined) return `nothing to keep as ${name} in ${answer.status} ${answer.text}`
  names.set(name, kept)
  return undefined
}

function parseNeed(need: string, answer: Answer) {
  const [what, ...words] = need.split(' ')
  const name = what === 'text' ? '' : (words.shift() ?? '')
  const [test = '', ...rest] = words
  const wanted = rest.join(' ')
  switch (what) {
    case 'status':
      return { value: answer.status, test: '=', wanted: name }
    case 'text':
      return { value: answer.text, test, wanted }
    case 'header':
      return { value: answer.headers[name.toLowerCase()], test, wanted }
    case 'json':
      return { value: memberOf(answer.json, name), test, wanted }
  }
  throw new Error(`cannot read what is needed: ${need}`)
}

function memberOf(json: unknown, path: string): unknown {
  let value = json
  for (const step of path === '$' ? [] : path.split('.')) {
    const [key, wanted] = step.split('=')
    if (typeof value !== 'object' || value === null) return undefined
    if (wanted === undefined) value = (value as Record<string, unknown>)[key]
    else value = Array.from(value as unknown[]).find((item) => memberOf(item, key) === wanted)
  }
  return value
}

function meets(value: unknown, test: string, wanted: string, isJson: boolean): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  switch (test) {
    case '=':
      return isJson ? text !== undefined && isSame(value, JSON.parse(wanted)) : text === wanted
    case '~':
      return text !== undefined && new RegExp(wanted).test(text)
    case '!~':
      return text === undefined || !new RegExp(wanted).test(text)
    case 'absent':
      return value === undefined
    case '':
      return value !== undefined && value !== null
  }
  throw new Error(`cannot test with ${test}`)
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
