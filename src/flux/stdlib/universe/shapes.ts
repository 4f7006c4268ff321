// The functions of the universe that change the shape of tables: which rows, columns and keys they have.
// Put together here; `package.ts` adds them to the rest.

import type { Definitions } from '../../package/define.js'
import { columnChanges } from './column-changes.js'
import { distincts } from './distinct.js'
import { fills } from './fill.js'
import { filters } from './filter.js'
import { finders } from './find.js'
import { groups } from './group.js'
import { joins } from './join.js'
import { keyFacts } from './key-facts.js'
import { limits } from './limits.js'
import { maps } from './map.js'
import { pivots } from './pivot.js'
import { ranges } from './range.js'
import { reducers } from './reduce.js'
import { samples } from './sample.js'
import { sorts } from './sort.js'
import { stateTrackings } from './state-tracking.js'
import { timeColumns } from './time-columns.js'
import { unions } from './union.js'
import { windows } from './window.js'

export const shapes: Definitions = {
  ...columnChanges,
  ...distincts,
  ...fills,
  ...filters,
  ...finders,
  ...groups,
  ...joins,
  ...keyFacts,
  ...limits,
  ...maps,
  ...pivots,
  ...ranges,
  ...reducers,
  ...samples,
  ...sorts,
  ...stateTrackings,
  ...timeColumns,
  ...unions,
  ...windows,
}
