// What is said between the thread that serves and a thread that runs queries. A query is handed over as a text with
// the facts of its scope; its printed answer comes back in shared pieces of memory, each the serving thread's until it
// gives it back, so that a query waits where its client reads slowly. What the query has to know meanwhile (schemas,
// where a read finds its rows, which bucket a name means) it asks for.

import type { ThreadFailure } from '../../platform/thread-failure.js'
import type { QueryParameters } from '../../query/language.js'
import type { QueryLimits } from '../../query/limits.js'
import type { AnswerForm } from '../../result/answer-form.js'
import type { NamesRequest, ReadRequest, SchemaRequest } from '../../store/store.js'

/** What InfluxQL knows of its scope without asking. */
export interface InfluxqlFacts {
  readonly language: 'influxql'
  readonly database: string | undefined
  readonly policy: string | undefined
  readonly isReadOnly: boolean
  readonly answers: 'statements' | 'one table' | undefined
  readonly limits: QueryLimits
  readonly now: bigint
}

/** What Flux knows of its scope without asking. */
export interface FluxFacts {
  readonly language: 'flux'
  readonly limits: {
    readonly timeoutSeconds: number
    readonly pointsMax: number
    readonly memoryBytesMax: number
    readonly stepsMax: number
  }
  readonly now: bigint
}

/** What SQL knows of its scope without asking. */
export interface SqlFacts {
  readonly language: 'sql'
  readonly database: string
  readonly limits: QueryLimits
  readonly now: bigint
}

export interface ThreadQuery {
  readonly text: string
  readonly parameters: QueryParameters | undefined
  readonly facts: InfluxqlFacts | FluxFacts | SqlFacts
  readonly form: AnswerForm
  /** By which mistakes of ours are found in the log. */
  readonly requestId: string
}

/** What a thread asks for. */
export type ThreadQuestion =
  | {
      readonly about: 'store'
      readonly method: 'measurementSchema' | 'cardinality' | 'extent' | 'estimate' | 'shards'
      readonly parameters: readonly unknown[]
    }
  /** Answered with a number, by which its pages are asked for. */
  | { readonly about: 'pages'; readonly of: PagesOf }
  | { readonly about: 'next page'; readonly pages: number }
  | { readonly about: 'end of pages'; readonly pages: number }
  /** Answered with an OpenedRead. */
  | { readonly about: 'read'; readonly request: ReadRequest }
  | {
      readonly about: 'end of read'
      readonly read: number
      readonly failure: ThreadFailure | undefined
    }
  /** Of a query's own scope. */
  | {
      readonly about: 'scope'
      readonly run: number
      readonly method: string
      readonly parameters: readonly unknown[]
    }

export type PagesOf =
  | { readonly kind: 'names'; readonly request: NamesRequest }
  | { readonly kind: 'fields' | 'series'; readonly request: SchemaRequest }

/** Undefined: there is nothing to be read. */
export type OpenedRead = { readonly read: number; readonly job: unknown } | undefined

export type ThreadRequest =
  /** Answered with `ready`. */
  | { readonly kind: 'start' }
  | { readonly kind: 'begin'; readonly run: number; readonly query: ThreadQuery }
  | { readonly kind: 'stop'; readonly run: number; readonly failure: ThreadFailure }
  /** Others are to have the cores for a while. */
  | { readonly kind: 'pause'; readonly run: number }
  | { readonly kind: 'resume'; readonly run: number }
  /** A piece of the answer has left, and its memory may be written again. */
  | { readonly kind: 'taken'; readonly memory: number }
  | { readonly kind: 'answer'; readonly question: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly question: number; readonly failure: ThreadFailure }

export type ThreadReply =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'bytes'
      readonly run: number
      readonly memory: number
      readonly bytes: SharedArrayBuffer
      readonly length: number
    }
  /** The last of a query: nothing of it is in use on the thread any more. */
  | { readonly kind: 'end'; readonly run: number; readonly failure: ThreadFailure | undefined }
  /** As the last: it needs what is not on the thread, and has given nothing. It is to run where it came from. */
  | { readonly kind: 'returned'; readonly run: number }
  | {
      readonly kind: 'figures'
      readonly run: number
      readonly rowsRead: number
      readonly bytesMax: number
    }
  /** A mistake of ours that the answer only hints at. */
  | { readonly kind: 'mistake'; readonly run: number; readonly failure: ThreadFailure }
  | { readonly kind: 'question'; readonly number: number; readonly question: ThreadQuestion }

/** Where queries run: another thread, or this one behind the same words. */
export interface ThreadPort {
  post(request: ThreadRequest): void
  /** One more waits for it, until `release`. */
  acquire(): void
  release(): void
  close(): Promise<void>
}

export interface ThreadListener {
  reply(reply: ThreadReply): void
  /** The thread is gone, and with it everything that it was doing. */
  failed(error: Error): void
  /** It had nothing to do for long, and is gone until it is needed. */
  ended(): void
}

export type MakeThreadPort = (listener: ThreadListener) => ThreadPort
