// Keys that work everywhere: Ctrl K for the palette, `g` and a letter
// to go to a page. None fires while typing.

import { useEffect, useRef } from 'react'
import { places } from './places.js'

export interface Shortcuts {
  readonly go: (path: string) => void
  readonly openPalette: () => void
}

const chordMs = 1000

export function useShortcuts({ go, openPalette }: Shortcuts): void {
  const latest = useRef({ go, openPalette })
  latest.current = { go, openPalette }
  useEffect(() => {
    let goPressedAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault()
        latest.current.openPalette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const isChord = performance.now() - goPressedAt < chordMs
      goPressedAt = event.key === 'g' ? performance.now() : Number.NEGATIVE_INFINITY
      const place = isChord ? places().find(({ key }) => key === event.key) : undefined
      if (place !== undefined) latest.current.go(place.path)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}
