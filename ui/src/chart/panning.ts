// Shift and dragging moves what a chart shows: the picture goes along with the pointer, and where it is let go is the
// new range. The drawing only gets another scale meanwhile; nobody is asked until the end.

import type uPlot from 'uplot'
import type { Moments } from '../query/time-range.js'

/** Fewer pixels are a hand that trembled. */
const pixelsMin = 4

export function panningPlugin(
  moments: Moments,
  onShown: (made: uPlot, shown: Moments) => void,
  onMoved: (moved: Moments) => void,
): uPlot.Plugin {
  return {
    hooks: {
      ready: (made) => {
        made.over.addEventListener(
          'mousedown',
          (event) => {
            if (event.shiftKey && event.button === 0) begin(made, event, moments, onShown, onMoved)
          },
          { capture: true },
        )
      },
    },
  }
}

function begin(
  made: uPlot,
  event: MouseEvent,
  { from, to }: Moments,
  onShown: (made: uPlot, shown: Moments) => void,
  onMoved: (moved: Moments) => void,
): void {
  // Else the chart would take it for a range that is drawn.
  event.preventDefault()
  event.stopImmediatePropagation()
  const msPerPixel = (to - from) / Math.max(1, made.over.clientWidth)
  const movedTo = ({ clientX }: MouseEvent) => {
    const by = Math.round((event.clientX - clientX) * msPerPixel)
    return { from: from + by, to: to + by }
  }
  const move = (now: MouseEvent) => onShown(made, movedTo(now))
  const end = (now: MouseEvent) => {
    document.removeEventListener('mousemove', move)
    document.removeEventListener('mouseup', end)
    if (Math.abs(now.clientX - event.clientX) >= pixelsMin) onMoved(movedTo(now))
    else onShown(made, { from, to })
  }
  document.addEventListener('mousemove', move)
  document.addEventListener('mouseup', end)
}
