// What Flux must know besides the text of a script: the buckets and what may be done to them, secrets,
// the time, the limits. Types only; whoever serves the language brings them.

import type { TimeRange } from '../../column/time.js'
import type { Clock } from '../../platform/clock.js'
import type { OutgoingHttp } from '../../platform/outgoing-http.js'
import type { Random } from '../../platform/random.js'
import type { OutsideDatabases } from '../../platform/sql-connection.js'
import type { ResultPiece } from '../../query/language.js'
import type { QueryFigures } from '../../query/limits.js'
import type { BucketId, Store } from '../../store/store.js'

export interface FluxLimits {
  /** 0: none. */
  readonly timeoutSeconds: number
  /** Points that may be read from buckets. 0: no limit. */
  readonly pointsMax: number
  /** What the tables of one query may hold in memory. 0: no limit. */
  readonly memoryBytesMax: number
  /** Calls of functions in one run of a script. 0: no limit. */
  readonly stepsMax: number
}

/** A bucket as a script names it. */
export interface BucketReference {
  readonly bucket?: string | undefined
  readonly bucketId?: string | undefined
  /** Of another organization than the one that asks. */
  readonly org?: string | undefined
  readonly orgId?: string | undefined
}

/** As `buckets()` tells it. */
export interface BucketFacts {
  readonly id: BucketId
  readonly name: string
  readonly organizationId: string
  readonly retentionPolicy: string
  /** 0n: for ever. */
  readonly retentionNs: bigint
}

/** As `v1.databases()` tells it. */
export interface DatabaseFacts {
  readonly database: string
  readonly retentionPolicy: string
  readonly retentionNs: bigint
  readonly isDefault: boolean
  readonly bucketId: BucketId
  readonly organizationId: string
}

/** An organization whose account is asked for. */
export interface AccountReference {
  /** undefined: the one that asks. */
  readonly orgId: string | undefined
  /** Who asks, where that is somebody else than whoever runs the script. */
  readonly token: string | undefined
}

/** As `usage.from()` tells it. */
export interface UsageFacts {
  readonly organizationId: string
  readonly figures: readonly UsageFigure[]
}

export interface UsageFigure {
  readonly bucketId: string
  readonly measurement: string
  readonly field: string
  /** Nanoseconds since 1970: the end of the span that it was counted over. */
  readonly time: bigint
  readonly value: number
}

/** As `usage.limits()` tells them: section → name → limit. */
export interface LimitFacts {
  readonly organizationId: string
  readonly sections: ReadonlyMap<string, ReadonlyMap<string, number | string | boolean>>
}

/** Everything here checks that whoever asks may, and throws UserError when not, or when there is no such thing. */
export interface FluxScope {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** Requests to other services: it knows what may be reached. */
  readonly outgoing: OutgoingHttp
  /** What `sql` reads and writes. */
  readonly databasesOutside: OutsideDatabases
  readonly limits: FluxLimits
  /** Where somebody wants to know what it has cost. */
  readonly figures?: QueryFigures | undefined
  /** Where nobody waits for the answer: waits for the next turn among what runs in the background. */
  readonly giveWay?: (() => Promise<void>) | undefined
  /** Nobody looks at the rows of the results: the script runs for what it does. */
  readonly isAnswerUnread?: boolean
  /** The moment that `now()` tells unless the script sets its own. */
  readonly now: bigint
  /** When the running task last ended well; undefined: never, or this is no task. */
  readonly lastSuccess: bigint | undefined
  bucket(reference: BucketReference, action: 'read' | 'write'): Promise<BucketId>
  buckets(organization: Pick<BucketReference, 'org' | 'orgId'>): Promise<readonly BucketFacts[]>
  databases(organization: Pick<BucketReference, 'org' | 'orgId'>): Promise<readonly DatabaseFacts[]>
  /** A secret of the organization. */
  secret(key: string): Promise<string>
  /** Line protocol with times in nanoseconds, through the same durable path as a write from outside. */
  write(reference: BucketReference, lines: Uint8Array): Promise<void>
  /** The answer of SQL to a query of the bucket. */
  sql(reference: BucketReference, query: string, signal: AbortSignal): AsyncIterable<ResultPiece>
  /** What an organization used within a span of time; `byHour` false: one figure for all of it. */
  usage(account: AccountReference, range: TimeRange, byHour: boolean): Promise<UsageFacts>
  organizationLimits(account: AccountReference): Promise<LimitFacts>
}
