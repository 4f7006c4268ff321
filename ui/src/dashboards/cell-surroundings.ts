// What a cell's drawing needs to know of the place around it.
// Types only.

import type { Moments } from '../query/time-range.js'

export interface CellSurroundings {
  readonly moments: Moments
  readonly onZoom: (moments: Moments) => void
  readonly onZoomBack: () => void
  readonly isDark: boolean
  /** Whether there is room for a legend. */
  readonly isRoomy: boolean
  readonly syncKey: string
  /** Of the cell, for those who cannot see it. */
  readonly label: string
}
