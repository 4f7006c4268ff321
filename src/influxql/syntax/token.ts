// Tokens of InfluxQL: their kinds, the words that are reserved, and how strongly operators bind. A
// kind is named as error messages name it, so that most tokens need no other text.

import type { BinaryOperator } from './ast.js'

const keywordKinds = [
  'ALL',
  'ALTER',
  'ANALYZE',
  'ANY',
  'AS',
  'ASC',
  'BEGIN',
  'BY',
  'CARDINALITY',
  'CREATE',
  'CONTINUOUS',
  'DATABASE',
  'DATABASES',
  'DEFAULT',
  'DELETE',
  'DESC',
  'DESTINATIONS',
  'DIAGNOSTICS',
  'DISTINCT',
  'DROP',
  'DURATION',
  'END',
  'EVERY',
  'EXACT',
  'EXPLAIN',
  'FIELD',
  'FOR',
  'FROM',
  'GRANT',
  'GRANTS',
  'GROUP',
  'GROUPS',
  'IN',
  'INF',
  'INSERT',
  'INTO',
  'KEY',
  'KEYS',
  'KILL',
  'LIMIT',
  'MEASUREMENT',
  'MEASUREMENTS',
  'NAME',
  'OFFSET',
  'ON',
  'ORDER',
  'PASSWORD',
  'POLICY',
  'POLICIES',
  'PRIVILEGES',
  'QUERIES',
  'QUERY',
  'READ',
  'REPLICATION',
  'RESAMPLE',
  'RETENTION',
  'REVOKE',
  'SELECT',
  'SERIES',
  'SET',
  'SHOW',
  'SHARD',
  'SHARDS',
  'SLIMIT',
  'SOFFSET',
  'STATS',
  'SUBSCRIPTION',
  'SUBSCRIPTIONS',
  'TAG',
  'TO',
  'USER',
  'USERS',
  'VALUES',
  'WHERE',
  'WITH',
  'WRITE',
  'AND',
  'OR',
  'TRUE',
  'FALSE',
] as const

export type Keyword = (typeof keywordKinds)[number]

export type TokenKind =
  | 'ILLEGAL'
  | 'EOF'
  | 'WS'
  | 'COMMENT'
  | 'IDENT'
  /** `$name` that no parameter stands for. */
  | 'BOUNDPARAM'
  | 'NUMBER'
  | 'INTEGER'
  | 'DURATIONVAL'
  | 'STRING'
  | 'BADSTRING'
  | 'BADESCAPE'
  | 'REGEX'
  | 'BADREGEX'
  | BinaryOperator
  | '('
  | ')'
  | ','
  | ':'
  | '::'
  | ';'
  | '.'
  | Keyword

export interface Token {
  readonly kind: TokenKind
  /**
   * Which character the token's place is counted from: its first one, except where InfluxDB counts from the one before
   * (strings and regexes) or from behind the end of the text.
   */
  readonly at: number
  /** Content of names, literals and blanks; empty for keywords and operators. */
  readonly text: string
}

const wordLengthMax = 13
const keywords = new Map<string, Keyword>(keywordKinds.map((kind) => [kind.toLowerCase(), kind]))

/** The keyword that a bare word is, whatever its case. */
export function keywordOf(word: string): Keyword | undefined {
  if (word.length > wordLengthMax) return undefined
  return keywords.get(word) ?? keywords.get(word.toLowerCase())
}

/** Zero: no operator. */
export function precedenceOf(kind: TokenKind): number {
  switch (kind) {
    case 'OR':
      return 1
    case 'AND':
      return 2
    case '=':
    case '!=':
    case '=~':
    case '!~':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return 3
    case '+':
    case '-':
    case '|':
    case '^':
      return 4
    case '*':
    case '/':
    case '%':
    case '&':
      return 5
    default:
      return 0
  }
}

/** How a token is called in `found X`. */
export function describeToken(token: Token): string {
  if (token.text !== '') return token.text
  switch (token.kind) {
    // InfluxDB has no names for these.
    case 'COMMENT':
    case 'BOUNDPARAM':
    case 'INTEGER':
    case 'BADREGEX':
      return ''
    default:
      return token.kind
  }
}
