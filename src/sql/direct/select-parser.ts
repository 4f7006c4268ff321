// Reads the plain queries of dashboards without an engine: one table, columns or calls, conditions, groups, order and
// limit. The tree is of DuckDB's shape, so that everything that looks at trees looks at these too. Whatever is spelt
// otherwise is no mistake here: it gives nothing, and DuckDB reads it.

import {
  call,
  cast,
  column,
  comparisons,
  operator,
  type TreeNode,
  text,
} from '../statement/tree.js'
import type { CaseNode } from './expression-reader.js'

/** As `readStatement` leaves it: words in small letters, names quoted, no comments. */
export function parseSelect(source: string): TreeNode | undefined {
  const tokens = tokensOf(source)
  if (tokens === undefined) return undefined
  try {
    return new SelectParser(tokens).read()
  } catch (error) {
    if (error instanceof OtherSyntax) return undefined
    throw error
  }
}

class OtherSyntax extends Error {}

type TokenKind = 'word' | 'name' | 'string' | 'number' | 'symbol'

interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const pattern = new RegExp(
  [
    /\s+/,
    /([\p{L}_][\p{L}\p{N}_$]*)/u,
    /"((?:[^"]|"")*)"/,
    /'((?:[^']|'')*)'/,
    /(\d+(?:\.\d+)?(?!\w))/,
    /(<=|>=|<>|!=|::|[(),.*=<>[\]+\-/%])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'uy',
)

function tokensOf(source: string): Token[] | undefined {
  const tokens: Token[] = []
  pattern.lastIndex = 0
  while (pattern.lastIndex < source.length) {
    const found = pattern.exec(source)
    if (found === null) return undefined
    const [, word, name, string, number, symbol] = found
    if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name.replaceAll('""', '"') })
    else if (string !== undefined) {
      tokens.push({ kind: 'string', text: string.replaceAll("''", "'") })
    } else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol })
  }
  return tokens
}

/** Words that are no names where they are not quoted, among those that a query read here can hold. */
const reserved = new Set(
  `select from where group order by limit offset and or not in is null between as asc desc having distinct union all
  except intersect join on using window qualify case when then else end cast interval timestamp true false like ilike
  similar nulls first last with lateral cross natural left right full inner outer semi anti asof tablesample values
  exists any some collate`.split(/\s+/),
)

const calls = new Set(
  `avg mean sum min max count date_bin now selector_first selector_last selector_min selector_max
  abs ceil floor round coalesce`.split(/\s+/),
)

/** DuckDB's names for the types that a value is read as here. */
const castTypes: ReadonlyMap<string, string> = new Map([
  ['double', 'DOUBLE'],
  ['float8', 'DOUBLE'],
  ['bigint', 'BIGINT'],
])

/** More is read by others, who count it. */
const depthMax = 100

const comparisonTypes: ReadonlyMap<string, string> = new Map([
  ...Object.entries(comparisons).map(([type, sign]) => [sign, type] as const),
  ['<>', 'COMPARE_NOTEQUAL'],
])

class SelectParser {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  read(): TreeNode {
    this.#need('select')
    const isDistinct = this.#takes('distinct')
    const select_list = this.#list(() => this.#item())
    this.#need('from')
    const from_table = this.#table()
    const where_clause = this.#takes('where') ? this.#expression() : null
    const group_expressions = this.#after('group') ? this.#list(() => this.#value()) : []
    const having = this.#takes('having') ? this.#expression() : null
    const orders = this.#after('order') ? this.#list(() => this.#order()) : []
    const limit = this.#takes('limit') ? this.#whole() : null
    const offset = this.#takes('offset') ? this.#whole() : null
    if (this.#at < this.#tokens.length) throw new OtherSyntax()
    const isCut = limit !== null || offset !== null
    return {
      type: 'SELECT_NODE',
      modifiers: [
        ...(isDistinct ? [{ type: 'DISTINCT_MODIFIER' }] : []),
        ...(orders.length > 0 ? [{ type: 'ORDER_MODIFIER', orders }] : []),
        ...(isCut ? [{ type: 'LIMIT_MODIFIER', limit, offset } as TreeNode] : []),
      ],
      cte_map: { map: [] },
      select_list,
      from_table,
      where_clause,
      group_expressions,
      group_sets: group_expressions.length > 0 ? [group_expressions.map((_, i) => i)] : [],
      having,
      qualify: null,
    }
  }

  #item(): TreeNode {
    if (this.#takes('*')) return { class: 'STAR', type: 'STAR', alias: '', relation_name: '' }
    const value = this.#expression()
    if (!this.#takes('as')) return value
    return { ...value, alias: this.#name() }
  }

  #table(): TreeNode {
    const names = [this.#name()]
    while (this.#takes('.')) names.push(this.#name())
    const [table_name, schema_name = '', catalog_name = '', ...more] = names.reverse()
    if (more.length > 0) throw new OtherSyntax()
    const alias = this.#takes('as') ? this.#name() : ''
    return { type: 'BASE_TABLE', alias, table_name, schema_name, catalog_name }
  }

  #order(): { type: string; null_order: string; expression: TreeNode } {
    const expression = this.#value()
    const isDescending = this.#takes('desc')
    if (!isDescending) this.#takes('asc')
    let null_order = 'ORDER_DEFAULT'
    if (this.#takes('nulls')) {
      null_order = this.#takes('first') ? 'NULLS_FIRST' : 'NULLS_LAST'
      if (null_order === 'NULLS_LAST') this.#need('last')
    }
    return { type: isDescending ? 'DESCENDING' : 'ASCENDING', null_order, expression }
  }

  /** A value or a condition: which of them is wanted is the business of those who look at it. */
  #expression(): TreeNode {
    if (++this.#depth > depthMax) throw new OtherSyntax()
    const read = this.#joined('or', () => this.#joined('and', () => this.#negated()))
    this.#depth--
    return read
  }

  #negated(): TreeNode {
    return this.#takes('not') ? operator('OPERATOR_NOT', this.#test()) : this.#test()
  }

  #joined(word: 'and' | 'or', part: () => TreeNode): TreeNode {
    const children = [part()]
    while (this.#takes(word)) children.push(part())
    if (children.length === 1) return children[0]
    const type = word === 'and' ? 'CONJUNCTION_AND' : 'CONJUNCTION_OR'
    return { class: 'CONJUNCTION', type, alias: '', children }
  }

  #test(): TreeNode {
    const left = this.#value()
    const type = comparisonTypes.get(this.#peek('symbol') ?? '')
    if (type !== undefined) {
      this.#at++
      return { class: 'COMPARISON', type, alias: '', left, right: this.#value() }
    }
    if (this.#takes('is')) {
      const type = this.#takes('not') ? 'OPERATOR_IS_NOT_NULL' : 'OPERATOR_IS_NULL'
      this.#need('null')
      return operator(type, left)
    }
    const isNegated = this.#takes('not')
    if (this.#takes('in')) {
      this.#need('(')
      const members = this.#list(() => this.#value())
      this.#need(')')
      return operator(isNegated ? 'COMPARE_NOT_IN' : 'COMPARE_IN', left, ...members)
    }
    if (isNegated) throw new OtherSyntax()
    if (!this.#takes('between')) return left
    const lower = this.#value()
    this.#need('and')
    const upper = this.#value()
    return { class: 'BETWEEN', type: 'COMPARE_BETWEEN', alias: '', input: left, lower, upper }
  }

  /** Sums and differences of products, of moments and intervals too. */
  #value(): TreeNode {
    return this.#chained(['+', '-'], () =>
      this.#chained(['*', '/', '%'], () => this.#converted(this.#single())),
    )
  }

  /** From left to right. */
  #chained(signs: readonly string[], part: () => TreeNode): TreeNode {
    let value = part()
    for (;;) {
      const sign = signs.find((each) => this.#takes(each))
      if (sign === undefined) return value
      value = { ...call(sign, value, part()), is_operator: true }
    }
  }

  #converted(value: TreeNode): TreeNode {
    return this.#takes('::') ? this.#converted(cast(value, this.#type())) : value
  }

  #type(): string {
    const type = castTypes.get(this.#tokens[this.#at++]?.text ?? '')
    if (type === undefined) throw new OtherSyntax()
    if (type === 'DOUBLE') this.#takes('precision')
    return type
  }

  #single(): TreeNode {
    const token = this.#tokens[this.#at++]
    switch (token?.kind) {
      case 'string':
        return text(token.text)
      case 'number':
        return number(token.text)
      case 'symbol':
        if (token.text === '-' && this.#peek('number') !== undefined) {
          return number(`-${this.#tokens[this.#at++].text}`)
        }
        if (token.text === '-') {
          return { ...call('-', this.#converted(this.#single())), is_operator: true }
        }
        if (token.text !== '(') throw new OtherSyntax()
        return this.#enclosed()
      case 'word':
        if (token.text === 'case') return this.#case()
        if (token.text === 'cast') return this.#cast()
        if (token.text === 'interval' || token.text === 'timestamp') {
          const value = this.#tokens[this.#at++]
          if (value?.kind !== 'string') throw new OtherSyntax()
          return cast(text(value.text), token.text.toUpperCase())
        }
        if (this.#takes('(')) return this.#call(token.text)
        if (reserved.has(token.text) || token.text.startsWith('current_')) throw new OtherSyntax()
        return this.#column(token.text)
      case 'name':
        return this.#column(token.text)
    }
    throw new OtherSyntax()
  }

  #enclosed(): TreeNode {
    const inside = this.#expression()
    this.#need(')')
    return inside
  }

  #cast(): TreeNode {
    this.#need('(')
    const value = this.#expression()
    this.#need('as')
    const type = this.#type()
    this.#need(')')
    return cast(value, type)
  }

  #case(): CaseNode {
    const case_checks: CaseNode['case_checks'] = []
    while (this.#takes('when')) {
      const when_expr = this.#expression()
      this.#need('then')
      case_checks.push({ when_expr, then_expr: this.#expression() })
    }
    if (case_checks.length === 0) throw new OtherSyntax()
    const else_expr = this.#takes('else') ? this.#expression() : null
    this.#need('end')
    return { class: 'CASE', type: 'CASE_EXPR', alias: '', case_checks, else_expr }
  }

  #column(first: string): TreeNode {
    const names = [first]
    while (this.#takes('.')) names.push(this.#name())
    return column(...names)
  }

  #call(name: string): TreeNode {
    if (!calls.has(name)) throw new OtherSyntax()
    if (name === 'count' && this.#takes('*')) {
      this.#need(')')
      return call('count_star')
    }
    const distinct = name === 'count' && this.#takes('distinct')
    const children = this.#peek('symbol') === ')' ? [] : this.#list(() => this.#expression())
    this.#need(')')
    if (name === 'coalesce') return operator('OPERATOR_COALESCE', ...children)
    const called = { ...call(name, ...children), distinct }
    if (!this.#takes('[')) return called
    const part = this.#tokens[this.#at++]
    if (part?.kind !== 'string') throw new OtherSyntax()
    this.#need(']')
    return operator('ARRAY_EXTRACT', called, text(part.text))
  }

  #list<T>(part: () => T): T[] {
    const parts = [part()]
    while (this.#takes(',')) parts.push(part())
    return parts
  }

  #name(): string {
    const token = this.#tokens[this.#at++]
    const isName = token?.kind === 'name' || (token?.kind === 'word' && !reserved.has(token.text))
    if (!isName) throw new OtherSyntax()
    return token.text
  }

  #whole(): TreeNode {
    const token = this.#tokens[this.#at++]
    if (token?.kind !== 'number' || token.text.includes('.')) throw new OtherSyntax()
    return number(token.text)
  }

  #peek(kind: TokenKind): string | undefined {
    const token = this.#tokens[this.#at]
    return token?.kind === kind ? token.text : undefined
  }

  #takes(expected: string): boolean {
    const token = this.#tokens[this.#at]
    const isIt =
      token !== undefined &&
      token.text === expected &&
      (token.kind === 'word' || token.kind === 'symbol')
    if (isIt) this.#at++
    return isIt
  }

  #after(word: 'group' | 'order'): boolean {
    if (!this.#takes(word)) return false
    this.#need('by')
    return true
  }

  #need(expected: string): void {
    if (!this.#takes(expected)) throw new OtherSyntax()
  }
}

/** Digits behind a point make a decimal of DuckDB's: the digits, and how many of them stand behind the point. */
function number(digits: string): TreeNode {
  const [, fraction = ''] = digits.split('.')
  const value = Number(digits.replace('.', ''))
  // What a float may not hold exactly is left to those who count in more digits.
  if (!Number.isSafeInteger(value)) throw new OtherSyntax()
  const type =
    fraction === ''
      ? { id: Math.abs(value) < 2 ** 31 ? 'INTEGER' : 'BIGINT', type_info: null }
      : { id: 'DECIMAL', type_info: { scale: fraction.length } }
  const held = { type, is_null: false, value }
  return { class: 'CONSTANT', type: 'VALUE_CONSTANT', alias: '', value: held }
}
