// The package `universe`, whose names need no import: the lists of its files, put together. Text in
// Flux is for what is best said in Flux.

import type { PackageDefinition } from '../define.js'
import { compositionImports, compositionsSource } from './compositions.js'
import { core, coreSource } from './core.js'
import { numbers, numbersSource } from './numbers.js'
import { scalars } from './scalars.js'
import { shapes } from './shapes.js'

export const universePackage: PackageDefinition = {
  path: 'universe',
  name: 'universe',
  builtins: [...core, ...numbers, ...scalars, ...shapes],
  source: [
    'package universe',
    compositionImports,
    coreSource,
    compositionsSource,
    numbersSource,
  ].join('\n'),
}
