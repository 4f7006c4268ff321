// Keys of a single letter, alone or one after the other (`g` and then `e`): none fires while somebody types or a dialog
// is open, and all of them can be switched off in the settings.

import { useEffect, useRef } from 'react'

const chordMs = 1000
const offKey = 'millrace-single-keys'

export function areSingleKeysOn(): boolean {
  return localStorage.getItem(offKey) !== 'off'
}

export function switchSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(offKey)
  else localStorage.setItem(offKey, 'off')
}

export type KeyActions = Readonly<Record<string, () => void>>

/** By key, or by two with a space between them. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    let first = ''
    let pressedAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !areSingleKeysOn()) return
      if (isTyping(event.target) || document.querySelector('[role=dialog]') !== null) return
      const isChord = performance.now() - pressedAt < chordMs
      const action =
        (isChord && latest.current[`${first} ${event.key}`]) || latest.current[event.key]
      first = event.key
      pressedAt = performance.now()
      if (!action) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}
