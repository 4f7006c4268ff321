// Whether a script reads points and does nothing else, told from its text alone: it writes nowhere, asks nobody
// outside, and uses only packages that cannot.

import type { File } from '../syntax/ast.js'
import { nodesOf } from './tree.js'

/** Without `csv`, `http` and all that send, which reach others, and those that write when they are called. */
const readingPackages = new Set([
  'array',
  'bitwise',
  'date',
  'dict',
  'experimental/aggregate',
  'experimental/array',
  'experimental/bitwise',
  'experimental/table',
  'generate',
  'influxdata/influxdb',
  'influxdata/influxdb/schema',
  'influxdata/influxdb/v1',
  'internal/debug',
  'interpolate',
  'join',
  'json',
  'math',
  'profiler',
  'regexp',
  'runtime',
  'strings',
  'system',
  'timezone',
  'types',
])

/** Functions of these packages, and of those that need no import, that write. */
const writingNames = new Set(['to', 'wideTo'])

export function onlyReads(files: readonly File[]): boolean {
  return files.every(
    (file) => file.imports.every(({ path }) => readingPackages.has(path.value)) && !writes(file),
  )
}

function writes(file: File): boolean {
  for (const node of nodesOf(file)) {
    if (node.type === 'Identifier' && writingNames.has(node.name)) return true
    if (node.type === 'StringLiteral' && writingNames.has(node.value)) return true
  }
  return false
}
