// Imports of files that the service reads itself: described first, then sent in pieces, so that a large file shows how
// far it is and can be called off.

import { request, requestJson } from './http.js'

export interface ImportInput {
  readonly orgID: string
  readonly bucketID: string
  readonly format: 'parquet' | 'jsonl' | 'csv' | 'lp'
  readonly measurement?: string
  readonly dryRun?: boolean
}

export interface ImportState {
  readonly id: string
  readonly status: string
  readonly error?: string
  readonly rows: number
  readonly points: number
  readonly refused: number
  readonly errors: readonly { readonly row: number; readonly message: string }[]
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly sample: readonly string[]
}

const pieceBytes = 4 * 1024 * 1024

/** Resolves when all is written. An aborted one is called off in the service too. */
export async function importFile(
  input: ImportInput,
  file: Blob,
  onShare: (share: number) => void,
  signal: AbortSignal,
): Promise<ImportState> {
  const { id } = await requestJson<ImportState>('api/v2/imports', { json: input, signal })
  try {
    let state: ImportState | undefined
    for (let offset = 0; state === undefined || offset < file.size; offset += pieceBytes) {
      const end = Math.min(offset + pieceBytes, file.size)
      state = await requestJson<ImportState>(`api/v2/imports/${id}/data`, {
        method: 'POST',
        query: { offset, last: end === file.size },
        headers: { 'content-type': 'application/octet-stream' },
        body: file.slice(offset, end),
        signal,
      })
      onShare(end / Math.max(file.size, 1))
      if (state.status === 'failed') throw new Error(state.error ?? 'the import failed')
    }
    return state
  } catch (error) {
    void request(`api/v2/imports/${id}`, { method: 'DELETE' }).catch(() => undefined)
    throw error
  }
}
