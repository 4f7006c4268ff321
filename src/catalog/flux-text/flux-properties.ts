// Finding the way through the tokens of a Flux text: brackets, and the properties of records and of
// calls. Understands no more of the language than that. Brackets are matched once, so that however
// deep they are nested, each token is looked at once per question and not once per level.

import { type FluxToken, fluxStringValue } from './flux-tokens.js'

export interface TokenProperty {
  readonly key: string
  /** Where the value lies in the text. */
  readonly start: number
  readonly end: number
  /** The index of the token behind the value. */
  readonly next: number
  /** Where the value is a string: what it stands for. */
  readonly stringValue: string | undefined
}

export class FluxProperties {
  readonly #tokens: readonly FluxToken[]
  /** For each opening bracket the index of its closing one; for other tokens their own. */
  readonly #closing: Uint32Array

  constructor(tokens: readonly FluxToken[]) {
    this.#tokens = tokens
    this.#closing = closings(tokens)
  }

  /** The index of the bracket that closes the one at `open`; of the last token where none does. */
  closing(open: number): number {
    return this.#closing[open]
  }

  /** The name of a property, if one begins here: its colon comes next. */
  keyAt(index: number): string | undefined {
    const { kind, text } = this.#tokens[index]
    const next: FluxToken | undefined = this.#tokens[index + 1]
    if (next?.kind !== 'sign' || next.text !== ':') return undefined
    if (kind === 'string') return fluxStringValue(text)
    return kind === 'word' ? text : undefined
  }

  /** The value that begins at `from`, up to the comma or bracket that ends it. */
  valueAt(from: number): Omit<TokenProperty, 'key'> {
    const tokens = this.#tokens
    let next = from
    while (next < tokens.length && !endsValue(tokens[next])) next = this.#closing[next] + 1
    const [first, last] = [tokens[from] as FluxToken | undefined, tokens[next - 1]]
    const start = first?.start ?? last.end
    const isString = first?.kind === 'string' && next === from + 1
    const stringValue = isString ? fluxStringValue(first.text) : undefined
    return { start, end: Math.max(start, last.end), next, stringValue }
  }

  /** Those of the record or call whose brackets begin at `open`; not those inside of values. */
  within(open: number): TokenProperty[] {
    const properties: TokenProperty[] = []
    const close = this.#closing[open]
    for (let i = open + 1; i < close; i = this.#closing[i] + 1) {
      const key = this.keyAt(i)
      if (key !== undefined) properties.push({ key, ...this.valueAt(i + 2) })
    }
    return properties
  }
}

export function depthChange({ kind, text }: FluxToken): number {
  if (kind !== 'sign') return 0
  if ('([{'.includes(text)) return 1
  return ')]}'.includes(text) ? -1 : 0
}

function endsValue(token: FluxToken): boolean {
  return token.kind === 'sign' && (token.text === ',' || depthChange(token) < 0)
}

function closings(tokens: readonly FluxToken[]): Uint32Array {
  const result = Uint32Array.from(tokens, (_, index) => index)
  const open: number[] = []
  tokens.forEach((token, index) => {
    const change = depthChange(token)
    if (change > 0) open.push(index)
    const partner = change < 0 ? open.pop() : undefined
    if (partner !== undefined) result[partner] = index
  })
  for (const index of open) result[index] = tokens.length - 1
  return result
}
