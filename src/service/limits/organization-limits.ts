// What organizations are held to on the way of their writes, reads and deletes. Types, and the limits where there are
// none, as in the cluster variant.

import type { Bucket } from '../../catalog/storage/buckets.js'
import type { MaybePromise } from '../../platform/pull-stream.js'

/** What a write has to pass besides the gate of all writes, and where its end is told. */
export interface WriteRule {
  /** Throws OverloadError where no place is free. */
  enter(): void
  leave(bytes: number): void
}

/** A query that was let in. Whoever was given one tells of its answer, and of its end exactly once. */
export interface AdmittedRead {
  /** How long it may take; 0: without limit. */
  readonly timeoutSeconds: number
  sent(bytes: number): void
  end(): void
}

export interface OrganizationLimits {
  /** Throws BusyError where the bucket's organization has written too much lately. */
  forWrite(bucket: Bucket): MaybePromise<WriteRule | undefined>
  /**
   * Lets a query in. Throws BusyError where the organization has read too much lately or has too many queries under
   * way: the contract knows no other answer of a query.
   */
  forRead(orgId: string): MaybePromise<AdmittedRead>
  /**
   * Deletes when the organization may. Throws BusyError after too many in a second, OverloadError where too many are
   * under way.
   */
  delete(orgId: string, work: () => Promise<void>): Promise<void>
  /** Brings what was charged here together with what other processes that share the catalog have charged. */
  share(): Promise<void>
}

export const unmeteredRead: AdmittedRead = { timeoutSeconds: 0, sent: () => {}, end: () => {} }

export const noLimits: OrganizationLimits = {
  forWrite: () => undefined,
  forRead: () => unmeteredRead,
  delete: (_orgId, work) => work(),
  share: async () => {},
}
