// Said while the service cannot be reached: what is shown stays, and may be old. Tries again, less and less often, and
// has everything asked anew once it answers.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { reach, request } from '../api/http.js'

const firstWaitMs = 1000
const longestWaitMs = 30_000

export function OfflineBanner() {
  const isLost = useSyncExternalStore(reach.subscribe, reach.isLost)
  const client = useQueryClient()
  useEffect(() => {
    if (!isLost) return
    let waitMs = firstWaitMs
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      try {
        await request('ping', { isSessionAsked: false })
        void client.invalidateQueries()
      } catch {
        waitMs = Math.min(waitMs * 2, longestWaitMs)
        timer = setTimeout(look, waitMs)
      }
    }
    timer = setTimeout(look, waitMs)
    return () => clearTimeout(timer)
  }, [isLost, client])
  if (!isLost) return null
  return (
    <p className="offline" role="alert">
      The service cannot be reached: what is shown may be old. Trying again…
    </p>
  )
}
