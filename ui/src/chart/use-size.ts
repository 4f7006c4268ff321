// The size of an element in pixels, as it is now. Zero before
// it was first measured.

import { type RefObject, useEffect, useRef, useState } from 'react'

export interface Size {
  readonly width: number
  readonly height: number
}

export function useSize<T extends HTMLElement>(): [RefObject<T | null>, Size] {
  const element = useRef<T>(null)
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = current
      setSize((before) =>
        before.width === width && before.height === height ? before : { width, height },
      )
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, size]
}
