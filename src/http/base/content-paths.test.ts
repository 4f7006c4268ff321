// Which part of the control plane a path belongs to: by the first word behind `/api/v2/`, whatever follows it, and
// wherever else the word stands.

import { expect, test } from 'vitest'
import { isContent } from './content-paths.js'

test.each([
  ['/api/v2/dashboards', true],
  ['/api/v2/dashboards/', true],
  ['/api/v2/tasks?org=o', true],
  ['/api/v2/checks/0123456789abcdef/labels', true],
  ['/api/v2/telegraf/plugins', true],
  ['/api/v2/dashboardsx', false],
  ['/api/v2/buckets/tasks', false],
  ['/api/v2', false],
  ['/tasks', false],
  ['/orgs/0123456789abcdef/api/v2/tasks', false],
])('%s', (url, expected) => {
  expect(isContent(url)).toBe(expected)
})
