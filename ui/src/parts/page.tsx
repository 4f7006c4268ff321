// The frame of a page: its title in the window and as its one
// heading, and what can be done at its right.

import { type ReactNode, useEffect } from 'react'

export interface PageProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** Fills the window instead of flowing. */
  readonly isFull?: boolean
  /** As wide as the window, but flowing. */
  readonly isWide?: boolean
}

export function Page({ title, actions, children, isFull = false, isWide = false }: PageProps) {
  const width = isFull ? ' page-full' : isWide ? ' page-wide' : ''
  useEffect(() => {
    document.title = `${title} – Millrace`
  }, [title])
  return (
    <div className={`page${width}`}>
      <div className="page-head">
        <h1>{title}</h1>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}
