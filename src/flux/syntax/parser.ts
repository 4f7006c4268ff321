// Flux text → tree. `parseFlux` always gives a tree; what is wrong with it stands in the nodes and is
// collected by `syntaxErrors`. The rules live beside: statements, expressions, primaries, records,
// functions, literals, types, attributes.

import { UserError } from '../../errors.js'
import type {
  File,
  ImportDeclaration,
  PackageClause,
  SourceLocation,
  Statement,
  TypeExpression,
} from './ast.js'
import { type Attributes, attributed, parseAttributes } from './attributes.js'
import { parseIdentifier, parseStringLiteral } from './literals.js'
import { parseStatements } from './statements.js'
import { errorText, syntaxErrors } from './syntax-errors.js'
import { kept, TokenStream } from './token-stream.js'
import { parseTypeExpression } from './types.js'

export interface ParseOptions {
  /** Stands in locations and before the `@` of messages. */
  readonly fileName?: string
}

/** What the real parser calls itself; clients see it in the tree. */
const metadata = 'parser-type=rust'

export function parseFlux(text: string, options: ParseOptions = {}): File {
  const fileName = options.fileName ?? ''
  const tokens = new TokenStream(text, fileName)
  const start = tokens.peek()
  const leading = parseAttributes(tokens)
  const clause = parsePackageClause(tokens, leading)
  const { imports, unused } = parseImports(tokens, clause === null ? leading : null)
  const body = parseBody(tokens, unused)
  const last = body.at(-1) ?? imports.at(-1) ?? clause
  const file: File = {
    type: 'File',
    location: last === null || last === undefined ? nowhere : tokens.locate(start, last),
    ...(fileName === '' ? {} : { name: fileName }),
    metadata,
    package: clause,
    imports,
    body,
    ...kept('eof', tokens.peek().comments),
  }
  return tokens.refusal === undefined ? file : withRefusal(file, tokens.refusal)
}

/** What was noted may have found no node to stay at. */
function withRefusal(file: File, msg: string): File {
  const isTold = syntaxErrors(file).some(({ message }) => message === msg)
  return isTold ? file : { ...file, errors: [{ msg }] }
}

const nowhere: SourceLocation = { start: { line: 0, column: 0 }, end: { line: 0, column: 0 } }

function parsePackageClause(tokens: TokenStream, attributes: Attributes): PackageClause | null {
  if (!tokens.is('PACKAGE')) return null
  const token = tokens.next()
  const name = parseIdentifier(tokens)
  const base = tokens.base(token, name, token.comments)
  return attributed<PackageClause>({ type: 'PackageClause', ...base, name }, attributes)
}

interface Imports {
  readonly imports: readonly ImportDeclaration[]
  /** Attributes behind the imports: they belong to the first statement. */
  readonly unused: Attributes | null
}

function parseImports(tokens: TokenStream, attributes: Attributes | null): Imports {
  const imports: ImportDeclaration[] = []
  let waiting = attributes
  for (;;) {
    if (tokens.is('ATTRIBUTE')) {
      if (waiting !== null) tokens.note('found multiple attribute lists')
      waiting = parseAttributes(tokens)
    } else if (tokens.is('IMPORT')) {
      imports.push(parseImport(tokens, waiting ?? []))
      waiting = null
    } else return { imports, unused: waiting }
  }
}

function parseImport(tokens: TokenStream, attributes: Attributes): ImportDeclaration {
  const token = tokens.expect('IMPORT')
  const alias = tokens.is('IDENT') ? parseIdentifier(tokens) : null
  const path = parseStringLiteral(tokens)
  const base = tokens.base(token, path, token.comments)
  const declaration: ImportDeclaration = { type: 'ImportDeclaration', ...base, as: alias, path }
  return attributed(declaration, attributes)
}

function parseBody(tokens: TokenStream, attributes: Attributes | null): Statement[] {
  const body = parseStatements(tokens, attributes)
  if (body.length > 0 || attributes === null || attributes.length === 0) return body
  const base = tokens.base(attributes[0], attributes[attributes.length - 1])
  const text = 'extra attributes not associated with anything'
  return [{ type: 'BadStatement', ...base, text }]
}

/** A type as the library's signatures write it, with nothing behind it. Throws what is wrong with it. */
export function parseType(text: string): TypeExpression {
  const tokens = new TokenStream(text, '')
  const type = parseTypeExpression(tokens)
  tokens.expect('EOF')
  const rest = tokens.base(type, type).errors ?? []
  const errors = [
    ...syntaxErrors(type),
    ...rest.map(({ msg }) => ({ message: msg, location: type.location })),
  ]
  if (errors.length > 0) throw new UserError('invalid', errors.map(errorText).join('\n\n'))
  return type
}
