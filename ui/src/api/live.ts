// Points as they are written to a bucket, told by the service while somebody watches. The browser connects again by
// itself where the connection breaks.

import { apiUrl } from './http.js'

export interface LivePoints {
  /** Line protocol. */
  readonly lines: readonly string[]
  /** Points that were written besides. */
  readonly skipped: number
}

/** The result ends it. */
export function watchPoints(
  bucketId: string,
  measurement: string | undefined,
  onPoints: (points: LivePoints) => void,
  onState: (isConnected: boolean) => void = () => {},
): () => void {
  const source = new EventSource(apiUrl(`api/v2/buckets/${bucketId}/live`, { measurement }))
  source.addEventListener('points', ({ data }) => onPoints(JSON.parse(data) as LivePoints))
  source.onopen = () => onState(true)
  source.onerror = () => onState(false)
  return () => source.close()
}
