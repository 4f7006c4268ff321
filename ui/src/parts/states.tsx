// What a page or a part of it shows while it has nothing to show: loading, empty, failed. Each says what is the matter
// and what can be done.

import { Button, Skeleton } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { ApiError } from '../api/http.js'
import { CopyButton } from './copy-button.js'
import { commandText, type Example } from './examples.js'
import { Icon } from './icons.js'

/** Nothing for a moment: what comes at once should not flicker. */
export function Loading({
  lines = 4,
  label = 'Loading',
}: {
  readonly lines?: number
  readonly label?: string
}) {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150)
    return () => clearTimeout(timer)
  }, [])
  if (!isShown) return <div role="status" aria-label={label} />
  return (
    <div role="status" aria-label={label} className="stack">
      {Array.from({ length: lines }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={i} height={14} width={`${90 - ((i * 17) % 40)}%`} />
      ))}
    </div>
  )
}

export interface EmptyProps {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
  /** The same by a command, to be copied. */
  readonly example?: Example
}

export function Empty({ title, children, action, example }: EmptyProps) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children !== undefined && <div className="muted">{children}</div>}
      {action}
      {example !== undefined && <Command text={commandText(example, document.baseURI)} />}
    </div>
  )
}

function Command({ text }: { readonly text: string }) {
  return (
    <details className="command">
      <summary className="muted small">Or by a command</summary>
      <pre>{text}</pre>
      <CopyButton text={text} label="Copy the command" />
    </details>
  )
}

export interface FailedProps {
  readonly error: unknown
  readonly what?: string
  readonly onRetry?: () => void
}

export function Failed({ error, what, onRetry }: FailedProps) {
  const { message, requestId } = error as Partial<ApiError>
  return (
    <div className="failed" role="alert">
      <p>
        <Icon name="warn" /> {what !== undefined && <strong>{what}: </strong>}
        <span>{message ?? String(error)}</span>
      </p>
      {requestId !== undefined && <p className="muted small">Request {requestId}</p>}
      {onRetry !== undefined && (
        <Button size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

interface Loadable<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isPending: boolean
  refetch(): unknown
}

export interface LoadedProps<T> {
  readonly of: Loadable<T>
  readonly what?: string
  readonly children: (data: T) => ReactNode
}

/** One of the states, or what is made of the data. */
export function Loaded<T>({ of, what, children }: LoadedProps<T>) {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (of.error !== null && of.error !== undefined) {
    return <Failed error={of.error} what={what} onRetry={() => of.refetch()} />
  }
  return <Loading label={what === undefined ? 'Loading' : `Loading ${what}`} />
}
