// What is wrong with a text, found in the page by the service's own parsers: exact places, at once, and without a
// request. What needs more than the text (types, names, regular expressions) only the service can tell.

import { parseFlux } from '../../../src/flux/syntax/parser.js'
import { syntaxErrors } from '../../../src/flux/syntax/syntax-errors.js'
import { parseQuery } from '../../../src/influxql/syntax/parser.js'
import { type Finding, influxqlFinding } from './findings.js'

export function checkFlux(text: string): Finding[] {
  return syntaxErrors(parseFlux(text)).map(({ location: { start }, message }) => ({
    line: start.line,
    column: start.column,
    message,
  }))
}

export function checkInfluxql(text: string): Finding[] {
  try {
    parseQuery(text)
    return []
  } catch (error) {
    return [influxqlFinding((error as Error).message)]
  }
}
