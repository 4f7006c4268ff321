// When a token was last used, for the lists of both variants. The service tells minutes and writes them down every few
// of them, so that the newest are no more than "just now".

import { agoText, momentText } from './figures.js'

const nowMs = 120_000

/** Undefined or null: never. */
export function LastUsed({ at }: { readonly at: string | null | undefined }) {
  if (at === undefined || at === null) return <span className="muted">never</span>
  const isNow = Date.now() - new Date(at).getTime() < nowMs
  return <span title={momentText(at)}>{isNow ? 'just now' : agoText(at)}</span>
}
