// What the parser's rules stand on: one token of lookahead, the brackets that are open, and the errors that
// wait for a node. Nothing throws: a rule that meets the wrong token notes an error, and the next node that
// is finished carries it. This is how Flux places its errors, and it must be the same here.

import { queryWordsMax } from '../../query/limits.js'
import type { Comment, NodeError, Position, SourceLocation } from './ast.js'
import { Scanner } from './scanner.js'
import { SourceText } from './source-text.js'
import type { Token, TokenKind } from './token.js'

/** Statements and expressions inside each other; a script beyond it is refused, never a stack overflow. */
const depthMax = 80
export const tooDeep = 'Program is nested too deep'

export const tooLong = 'Program is too long'

/** What a node can begin or end with: a token, a node, or a place. */
export type Anchor = Token | { readonly location: SourceLocation } | Position

export interface Base {
  readonly location: SourceLocation
  readonly errors?: readonly NodeError[]
  readonly comments?: readonly Comment[]
}

export class TokenStream {
  readonly source: SourceText
  readonly #scanner: Scanner
  #peeked: Token | null = null
  #errors: NodeError[] = []
  /** How often each closing token is awaited. */
  readonly #awaited = new Map<TokenKind, number>()
  #depth = 0
  #tokens = 0
  /** Why no more of it is read: nobody needs to know what else is in it. */
  #refusal: string | undefined

  constructor(text: string, fileName: string) {
    this.source = new SourceText(text, fileName)
    this.#scanner = new Scanner(text)
  }

  get refusal(): string | undefined {
    return this.#refusal
  }

  peek(): Token {
    this.#peeked ??= this.#refusal !== undefined ? this.#end() : this.#counted(this.#scanner.scan())
    return this.#peeked
  }

  /** As `peek`, where an expression may begin: a slash opens a regular expression. */
  peekOperand(): Token {
    if (this.#peeked === null) {
      this.#peeked =
        this.#refusal !== undefined ? this.#end() : this.#counted(this.#scanner.scanOperand())
    } else if (this.#peeked.kind === 'DIV') this.#peeked = this.#scanner.rescanOperand(this.#peeked)
    return this.#peeked
  }

  next(): Token {
    const token = this.peek()
    this.#peeked = null
    return token
  }

  /** The next piece of an interpolated string; only directly behind a consumed token. */
  nextStringPart(): Token {
    return this.#refusal !== undefined ? this.#end() : this.#counted(this.#scanner.scanStringPart())
  }

  is(kind: TokenKind): boolean {
    return this.peek().kind === kind
  }

  /** Whether the next token is this word, which is no keyword elsewhere. */
  isWord(word: string): boolean {
    const token = this.peek()
    return token.kind === 'IDENT' && token.text === word
  }

  /** Takes the next token, whatever it is, and notes an error if it is another one. */
  expect(...kinds: readonly TokenKind[]): Token {
    const token = this.next()
    if (!kinds.includes(token.kind)) this.#noteUnexpected(token, kinds)
    return token
  }

  /** As `expect`, but another token stays, and an empty one stands for what is missing. */
  expectOrSkip(kind: TokenKind): Token {
    const token = this.peek()
    if (token.kind === kind) return this.next()
    this.#noteUnexpected(token, [kind])
    if (token.kind === 'EOF') return token
    return { kind: 'ILLEGAL', text: '', start: token.start, end: token.start, comments: [] }
  }

  open(start: TokenKind, end: TokenKind): Token {
    const token = this.expect(start)
    this.#awaited.set(end, (this.#awaited.get(end) ?? 0) + 1)
    return token
  }

  /** Whether the next token still belongs to the innermost bracket: none that closes an open one. */
  more(): boolean {
    const { kind } = this.peek()
    return kind !== 'EOF' && (this.#awaited.get(kind) ?? 0) === 0
  }

  /** Takes the closing token; if another one comes, it stays and is the end of the node. */
  close(end: TokenKind): Token {
    this.#awaited.set(end, (this.#awaited.get(end) ?? 0) - 1)
    const token = this.peek()
    if (token.kind === end) return this.next()
    this.note(`expected ${end}, got ${token.kind}`)
    return token
  }

  note(message: string): void {
    this.#errors.push({ msg: message })
  }

  /** Runs a rule that may contain itself; null, with an error noted, if that goes too deep. */
  nested<T>(rule: () => T): T | null {
    if (this.#depth >= depthMax) {
      this.note(tooDeep)
      this.#refusal = tooDeep
      return null
    }
    this.#depth++
    const result = rule()
    this.#depth--
    return result
  }

  /** The common part of a node that is finished: it takes the errors that wait. */
  base(start: Anchor, end: Anchor, comments: readonly Comment[] = []): Base {
    const location = this.locate(start, end)
    const errors = this.#errors
    if (errors.length === 0) return comments.length === 0 ? { location } : { location, comments }
    this.#errors = []
    return comments.length === 0 ? { location, errors } : { location, errors, comments }
  }

  locate(start: Anchor, end: Anchor): SourceLocation {
    return this.source.locationBetween(this.#startOf(start), this.#endOf(end))
  }

  /** `file@1:2-1:5`, as messages show it. */
  placeOf(token: Token): string {
    const { start, end } = this.locate(token, token)
    return `${this.source.fileName}@${start.line}:${start.column}-${end.line}:${end.column}`
  }

  /** The token, or the end of the text where it has too many of them. Comments are kept too, and count. */
  #counted(token: Token): Token {
    this.#tokens += 1 + token.comments.length
    if (this.#tokens <= queryWordsMax) return token
    this.note(tooLong)
    this.#refusal = tooLong
    return this.#end()
  }

  #end(): Token {
    const end = this.source.text.length
    return { kind: 'EOF', text: '', start: end, end, comments: [] }
  }

  #startOf(anchor: Anchor): Position {
    if ('kind' in anchor) return this.source.positionAt(anchor.start)
    return 'location' in anchor ? anchor.location.start : anchor
  }

  #endOf(anchor: Anchor): Position {
    if ('kind' in anchor) return this.source.positionAt(anchor.end)
    return 'location' in anchor ? anchor.location.end : anchor
  }

  #noteUnexpected(token: Token, kinds: readonly TokenKind[]): void {
    const expected = listKinds(kinds)
    if (token.kind === 'EOF') return this.note(`expected ${expected}, got EOF`)
    const { line, column } = this.source.positionAt(token.start)
    this.note(`expected ${expected}, got ${token.kind} (${token.text}) at ${line}:${column}`)
  }
}

/** One kind plainly; several quoted, the last behind `or`, all with a space before: so Flux writes them. */
function listKinds(kinds: readonly TokenKind[]): string {
  if (kinds.length === 1) return kinds[0]
  const quoted = kinds.map((kind) => ` \`${kind}\``)
  return `${quoted.slice(0, -1).join(',')} or${quoted.at(-1)}`
}

/** Comments as an optional part of a node: absent where there are none. */
export function kept<Name extends string>(
  name: Name,
  comments: readonly Comment[],
): { readonly [K in Name]?: readonly Comment[] } {
  return comments.length === 0 ? {} : ({ [name]: comments } as Record<Name, readonly Comment[]>)
}
