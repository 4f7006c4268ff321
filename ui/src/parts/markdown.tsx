// Notes in Markdown, from tokens to elements: nothing in them becomes HTML, tags are shown as the text they are. Links
// lead to http(s) and to this service only; pictures are links, since the page asks no other host.

import { lexer, type Token, type Tokens } from 'marked'
import { createContext, type ReactNode, useContext, useMemo } from 'react'

export interface MarkdownProps {
  readonly text: string
  /** Of its highest headings: one below what it stands under. */
  readonly topRank?: number
}

/** The rank on the page of each depth that is used: no rank is left out, whatever the text does. */
const RanksContext = createContext<ReadonlyMap<number, number>>(new Map())

export function Markdown({ text, topRank = 3 }: MarkdownProps) {
  const tokens = useMemo(() => lexer(text), [text])
  const ranks = useMemo(() => {
    const headings = tokens.filter((token) => token.type === 'heading') as Tokens.Heading[]
    const depths = [...new Set(headings.map(({ depth }) => depth))].sort((a, b) => a - b)
    return new Map(depths.map((depth, i) => [depth, Math.min(topRank + i, 6)]))
  }, [tokens, topRank])
  return (
    <RanksContext.Provider value={ranks}>
      <div className="markdown">{blocks(tokens)}</div>
    </RanksContext.Provider>
  )
}

function blocks(tokens: readonly Token[]): ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no names, and a text is drawn as a whole
  return tokens.map((token, i) => <Block key={i} token={token} />)
}

function Block({ token }: { readonly token: Token }): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading token={token as Tokens.Heading} />
    case 'paragraph':
      return <p>{spans(token.tokens ?? [])}</p>
    case 'text':
      return <p>{'tokens' in token && token.tokens ? spans(token.tokens) : token.text}</p>
    case 'blockquote':
      return <blockquote>{blocks(token.tokens ?? [])}</blockquote>
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      )
    case 'list':
      return <List token={token as Tokens.List} />
    case 'table':
      return <Grid token={token as Tokens.Table} />
    case 'hr':
      return <hr />
    case 'space':
    case 'def':
      return null
    default:
      return <p>{token.raw}</p>
  }
}

function Heading({ token }: { readonly token: Tokens.Heading }) {
  const rank = useContext(RanksContext).get(token.depth)
  // Headings within quotes and lists are no headings of the page.
  if (rank === undefined) return <strong>{spans(token.tokens)}</strong>
  const Rank = `h${rank}` as 'h3'
  return <Rank className={`markdown-h${token.depth}`}>{spans(token.tokens)}</Rank>
}

function List({ token }: { readonly token: Tokens.List }) {
  const items = token.items.map((item, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no names
    <li key={i}>
      {item.task && (item.checked ? '☑ ' : '☐ ')}
      {item.tokens.map((inner, j) =>
        inner.type === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <span key={j}>{spans((inner as Tokens.Text).tokens ?? [inner])}</span>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <Block key={j} token={inner} />
        ),
      )}
    </li>
  ))
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>
}

function Grid({ token }: { readonly token: Tokens.Table }) {
  return (
    <table className="plain-table">
      <thead>
        <tr>
          {token.header.map((cell, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no names
            <th key={i}>{spans(cell.tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names
          <tr key={i}>
            {row.map((cell, j) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no names
              <td key={j}>{spans(cell.tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function spans(tokens: readonly Token[]): ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no names
  return tokens.map((token, i) => <Span key={i} token={token} />)
}

function Span({ token }: { readonly token: Token }): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{spans(token.tokens ?? [])}</strong>
    case 'em':
      return <em>{spans(token.tokens ?? [])}</em>
    case 'del':
      return <del>{spans(token.tokens ?? [])}</del>
    case 'codespan':
      return <code>{unescaped(token.text)}</code>
    case 'br':
      return <br />
    case 'link':
      return <Anchor href={token.href}>{spans(token.tokens ?? [])}</Anchor>
    case 'image':
      return <Anchor href={token.href}>{token.text === '' ? 'picture' : token.text}</Anchor>
    case 'escape':
      return token.text
    case 'text':
      return 'tokens' in token && token.tokens ? spans(token.tokens) : unescaped(token.text)
    default:
      return token.raw
  }
}

function Anchor({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const isSafe = /^https?:\/\//i.test(href) || /^[/#?.\w][^:]*$/.test(href)
  if (!isSafe) return <>{children}</>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** The lexer writes some signs as entities, for those who make HTML of them. */
function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (found) => entities[found])
}
