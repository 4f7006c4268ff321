// Short messages at the corner: what was done, what failed. They are read out politely and go by themselves; failures
// stay until they are closed.

import { Notification } from '@mantine/core'
import { useSyncExternalStore } from 'react'

interface Toast {
  readonly id: number
  readonly kind: 'done' | 'failed'
  readonly text: string
}

const shownMs = 4000

class Toasts {
  #list: readonly Toast[] = []
  #lastId = 0
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly list = () => this.#list

  add(kind: Toast['kind'], text: string): void {
    const id = ++this.#lastId
    this.#set([...this.#list, { id, kind, text }])
    if (kind === 'done') setTimeout(() => this.remove(id), shownMs)
  }

  remove(id: number): void {
    this.#set(this.#list.filter((toast) => toast.id !== id))
  }

  #set(list: readonly Toast[]): void {
    this.#list = list
    for (const listener of this.#listeners) listener()
  }
}

const toasts = new Toasts()

export function done(text: string): void {
  toasts.add('done', text)
}

export function failed(error: unknown, what?: string): void {
  const message = error instanceof Error ? error.message : String(error)
  toasts.add('failed', what === undefined ? message : `${what}: ${message}`)
}

export function ToastArea() {
  const list = useSyncExternalStore(toasts.subscribe, toasts.list)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {list.map(({ id, kind, text }) => (
        <Notification
          key={id}
          color={kind === 'done' ? 'teal' : 'red'}
          withBorder
          onClose={() => toasts.remove(id)}
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          {text}
        </Notification>
      ))}
    </div>
  )
}
