// What the page and its worker say to each other: a question to ask or to stop, and what has come of it.
// Types only.

import type { Failure, Table } from './result.js'

export interface AskedForm {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly form: 'jsonl'
}

export interface WorkerRequest {
  readonly id: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly form: 'annotated-csv' | 'v1' | 'jsonl' | 'arrow'
  /** To be asked where an answer has types that are not read from Arrow: the same rows as JSON. */
  readonly otherwise?: AskedForm
  readonly rowsMax: number
  readonly bytesMax: number
}

export type WorkerMessage = { readonly stop: number } | WorkerRequest

export type WorkerAnswer =
  | { readonly id: number; readonly progress: { readonly bytes: number; readonly rows: number } }
  | { readonly id: number; readonly failure: Failure & { readonly status: number } }
  | {
      readonly id: number
      readonly tables: readonly Table[]
      readonly rowCount: number
      readonly byteCount: number
      readonly stoppedAt?: 'rows' | 'bytes'
    }
