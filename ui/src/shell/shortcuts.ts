// Keys that work everywhere: Ctrl K for the palette, `g` and a letter
// to go to a page, `?` for the list of all keys.

import { useEffect, useRef } from 'react'
import { useKeys } from '../parts/keys.js'
import { places } from './places.js'

export interface Shortcuts {
  readonly go: (path: string) => void
  readonly openPalette: () => void
  readonly openHelp: () => void
}

export function useShortcuts({ go, openPalette, openHelp }: Shortcuts): void {
  const pages = places().map(({ key, path }) => [`g ${key}`, () => go(path)])
  useKeys({ ...Object.fromEntries(pages), '?': openHelp })
  const latest = useRef(openPalette)
  latest.current = openPalette
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== 'k') return
      event.preventDefault()
      latest.current()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
