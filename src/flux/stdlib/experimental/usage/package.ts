// The package `experimental/usage`: what an organization has used, and what it is limited to. Of this
// service its own counts tell; another one, named by its address, is asked over HTTP.

import { type Definitions, native } from '../../../package/define.js'
import { ownLimits, ownUsage } from './account.js'

const ownUsageType = `(start: A, stop: B, orgID: string, token: string, raw: bool) => stream[C]
  where C: Record`

export const usageBuiltins: Definitions = {
  _ownUsage: native(ownUsageType, ownUsage),
  _ownLimits: native('(orgID: string, token: string) => A', ownLimits),
}
