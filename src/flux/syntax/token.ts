// The tokens of Flux. The names are those that error messages show (`expected RPAREN, got EOF`), so a
// token's kind is its name and nothing has to be translated.

import type { Comment } from './ast.js'

export type KeywordKind =
  | 'AND'
  | 'OR'
  | 'NOT'
  | 'IMPORT'
  | 'PACKAGE'
  | 'RETURN'
  | 'OPTION'
  | 'BUILTIN'
  | 'TESTCASE'
  | 'IF'
  | 'THEN'
  | 'ELSE'
  | 'EXISTS'

export type LiteralKind =
  | 'IDENT'
  | 'INT'
  | 'FLOAT'
  | 'STRING'
  | 'REGEX'
  | 'TIME'
  | 'DURATION'
  | 'ATTRIBUTE'

export type OperatorKind =
  | 'ADD'
  | 'SUB'
  | 'MUL'
  | 'DIV'
  | 'MOD'
  | 'POW'
  | 'EQ'
  | 'LT'
  | 'GT'
  | 'LTE'
  | 'GTE'
  | 'NEQ'
  | 'REGEXEQ'
  | 'REGEXNEQ'
  | 'ASSIGN'
  | 'ARROW'
  | 'LPAREN'
  | 'RPAREN'
  | 'LBRACK'
  | 'RBRACK'
  | 'LBRACE'
  | 'RBRACE'
  | 'COMMA'
  | 'DOT'
  | 'COLON'
  | 'PIPE_FORWARD'
  | 'PIPE_RECEIVE'
  | 'QUESTION_MARK'
  | 'QUOTE'
  | 'STRINGEXPR'
  | 'TEXT'

export type TokenKind = KeywordKind | LiteralKind | OperatorKind | 'ILLEGAL' | 'EOF'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  /** UTF-16 offsets into the source. */
  readonly start: number
  readonly end: number
  readonly comments: readonly Comment[]
}

const keywords: ReadonlyMap<string, KeywordKind> = new Map([
  ['and', 'AND'],
  ['or', 'OR'],
  ['not', 'NOT'],
  ['import', 'IMPORT'],
  ['package', 'PACKAGE'],
  ['return', 'RETURN'],
  ['option', 'OPTION'],
  ['builtin', 'BUILTIN'],
  ['testcase', 'TESTCASE'],
  ['if', 'IF'],
  ['then', 'THEN'],
  ['else', 'ELSE'],
  ['exists', 'EXISTS'],
])

export function wordKind(word: string): KeywordKind | 'IDENT' {
  return keywords.get(word) ?? 'IDENT'
}

/** Two characters before one, so that the longest is found first. */
const operators: ReadonlyMap<string, OperatorKind> = new Map([
  ['==', 'EQ'],
  ['<=', 'LTE'],
  ['>=', 'GTE'],
  ['!=', 'NEQ'],
  ['=~', 'REGEXEQ'],
  ['!~', 'REGEXNEQ'],
  ['=>', 'ARROW'],
  ['<-', 'PIPE_RECEIVE'],
  ['|>', 'PIPE_FORWARD'],
  ['+', 'ADD'],
  ['-', 'SUB'],
  ['*', 'MUL'],
  ['/', 'DIV'],
  ['%', 'MOD'],
  ['^', 'POW'],
  ['<', 'LT'],
  ['>', 'GT'],
  ['=', 'ASSIGN'],
  ['(', 'LPAREN'],
  [')', 'RPAREN'],
  ['[', 'LBRACK'],
  [']', 'RBRACK'],
  ['{', 'LBRACE'],
  ['}', 'RBRACE'],
  [':', 'COLON'],
  [',', 'COMMA'],
  ['.', 'DOT'],
  ['"', 'QUOTE'],
  ['?', 'QUESTION_MARK'],
])

export function operatorKind(text: string): OperatorKind | null {
  return operators.get(text) ?? null
}
