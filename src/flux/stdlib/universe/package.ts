// The package `universe`, whose names need no import: the lists of its files, put together. What is best
// said in Flux is in `universe.flux`.

import type { Definitions } from '../../package/define.js'
import { core } from './core.js'
import { numbers } from './numbers.js'
import { scalars } from './scalars.js'
import { shapes } from './shapes.js'

export const universeBuiltins: Definitions = { ...core, ...numbers, ...scalars, ...shapes }
