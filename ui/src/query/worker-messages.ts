// What the page and its worker say to each other: a question to ask or to stop, and what has come of it.
// Types only.

import type { Failure, Table } from './result.js'
import type { SeriesList } from './series.js'
import type { Moments } from './time-range.js'

/** Arrow of Flux tells its tables by other columns than that of the others. */
export type AnswerForm = 'annotated-csv' | 'v1' | 'jsonl' | 'arrow' | 'flux-arrow'

export interface AskedForm {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly form: AnswerForm
}

export interface WorkerRequest extends AskedForm {
  readonly id: number
  /** What the request is to be called. */
  readonly requestId?: string | undefined
  /**
   * To be asked where the answer cannot be had as Arrow: it has types that are not read from it, tables that differ,
   * or it failed on the way, which the other form tells in words.
   */
  readonly otherwise?: AskedForm | undefined
  /** What is asked for, and what a chart of a long answer shows. */
  readonly moments: Moments
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
      readonly stoppedAt?: 'rows' | 'bytes' | undefined
      readonly lines?: SeriesList | undefined
    }
