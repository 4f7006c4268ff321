// The one organization of the cluster variant, which holds its databases and tokens and is not
// seen from outside.

import { assert } from '../../errors.js'
import type { ServiceParts } from '../base/parts.js'

export function homeOrganization({ homeOrgId }: Pick<ServiceParts, 'homeOrgId'>): string {
  assert(homeOrgId !== undefined, 'the cluster variant has a home organization')
  return homeOrgId
}
