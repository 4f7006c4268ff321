// A target that is busy is tried again: it says when. Other failures are nobody's to wait for.
// After five minutes it is given up.

import { BusyError, OverloadError } from '../../errors.js'

const attemptsMax = 300

export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const isBusy = error instanceof BusyError || error instanceof OverloadError
      if (!isBusy || attempt === attemptsMax) throw error
      await new Promise((resolve) => setTimeout(resolve, error.retryAfterSeconds * 1000))
    }
  }
}
