// What goes wrong with a statement, in the words of the v3 products. DuckDB's own messages are turned into
// them where they have a counterpart, and are told without its hints and candidates where not.

import { UserError } from '../../errors.js'
import { outsideName } from './names.js'

/** What is wrong with the statement, whatever the data. */
export function planningError(
  reason: string,
  code: 'invalid' | 'not found' = 'invalid',
): UserError {
  return new UserError(code, `Error while planning query: Error during planning: ${reason}`)
}

export function missingTable(name: string, schema = 'iox'): UserError {
  return planningError(`table 'public.${schema}.${name}' not found`, 'not found')
}

export function missingColumn(name: string, valid: readonly string[]): UserError {
  const hint = valid.length === 0 ? '' : ` Valid fields are ${valid.join(', ')}.`
  return new UserError(
    'invalid',
    `Error while planning query: Schema error: No field named ${name}.${hint}`,
  )
}

/** `text` is what DuckDB was given, `offset` where in it the parser stopped. */
export function parserError(message: string, text: string, offset: number | undefined): UserError {
  let where = ''
  if (offset !== undefined) {
    const before = outsideName(Buffer.from(text).subarray(0, offset).toString())
    const line = before.split('\n').length
    where = ` at Line: ${line}, Column: ${before.length - before.lastIndexOf('\n')}`
  }
  const said = outsideName(message).replaceAll('"', '\\"')
  return new UserError(
    'invalid',
    `Error while planning query: SQL error: ParserError("${said}${where}")`,
  )
}

const referenced =
  /(?:Referenced column|does not have a column named|Referenced table) "((?:[^"]|"")*)"/

/** Of C++ and of JavaScript. */
const outOfMemory = /bad_alloc|allocation failed/

/** An error that DuckDB threw, as it is told. `valid`: the columns that there are. */
export function failureOf(error: Error, valid: readonly string[]): Error {
  // Functions of ours have the statement's names behind a prefix (`engine/macros.ts`).
  const said = outsideName(error.message).replace(/\bmr_(?=\w+\()/g, '')
  const message = said.replace(/^Failed to [\w ]*: /, '')
  const [head] = message.split(/\n\n?(?:LINE \d|Candidate|\s*Did you mean|Possible solutions)/, 1)
  const text = head.trim()
  const kind = /^([A-Z][\w -]*?) Error: /.exec(text)?.[1]
  const reason = kind === undefined ? text : text.slice(kind.length + ' Error: '.length)
  if (kind === undefined && outOfMemory.test(text)) {
    return new UserError('invalid', `query memory limit exceeded: ${firstSentence(text)}`)
  }
  switch (kind) {
    case 'Binder':
    case 'Catalog':
      return bindingFailure(reason, valid)
    case 'Parser':
      return parserError(reason, '', undefined)
    case 'Not implemented':
      return new UserError('invalid', `This feature is not implemented: ${reason}`)
    case 'Out of Memory':
      return new UserError('invalid', `query memory limit exceeded: ${firstSentence(reason)}`)
    case 'Conversion':
    case 'Out of Range':
    case 'Invalid Input':
    case 'Constraint':
    case 'Mismatch Type':
      return new UserError('invalid', `Error while executing query: ${reason}`)
    case 'Interrupt':
      return new UserError('invalid', 'query interrupted')
  }
  return error
}

function bindingFailure(reason: string, valid: readonly string[]): UserError {
  const missing = referenced.exec(reason)
  if (missing !== null) return missingColumn(missing[1].replaceAll('""', '"'), valid)
  return planningError(firstSentence(reason))
}

function firstSentence(reason: string): string {
  return reason.split(/\n/, 1)[0].replace(/ You might need to add explicit type casts\.$/, '')
}
