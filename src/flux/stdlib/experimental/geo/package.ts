// The package `experimental/geo`: rows with a latitude and a longitude, searched, grouped and measured by
// place. Cells and geometry are done natively; what is made of them is in Flux.

import type { Definitions } from '../../../package/define.js'
import { grids } from './grid.js'
import { measures } from './measures.js'

export const geoBuiltins: Definitions = { ...grids, ...measures }
