// Doing something to what a list shows: says when it is done, tells what failed, and has the list
// looked at again either way.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { done, failed } from './toasts.js'

export function useChange(...queryKeys: readonly string[]) {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  /** Whether it could be done. */
  const change = async (work: () => Promise<unknown>, told?: string): Promise<boolean> => {
    setBusy(true)
    try {
      await work()
      if (told !== undefined) done(told)
      return true
    } catch (error) {
      failed(error)
      return false
    } finally {
      setBusy(false)
      for (const key of queryKeys) void client.invalidateQueries({ queryKey: [key] })
    }
  }
  return { change, isBusy }
}
