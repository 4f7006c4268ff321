// The package `influxdata/influxdb`: buckets read and written. Its names are known in every script
// without an import.

import type { Definitions } from '../../../package/define.js'
import { sources } from './from.js'
import { pointWriting } from './to.js'
import { wideWriting } from './wide-to.js'

export const influxdbBuiltins: Definitions = { ...sources, ...pointWriting, ...wideWriting }
