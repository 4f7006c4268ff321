// What every test file leaves behind is undone here: the files that one worker runs share their modules, so that the
// languages are loaded once for all of them and not once for each.

import { afterAll, vi } from 'vitest'

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
