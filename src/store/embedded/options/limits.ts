// The limits of the engine, each with its unit and reason. The service sets them from its options;
// tests make them small, so that everything happens often.

import { type AdmissionLimits, defaultAdmissionLimits } from '../../admission-rules.js'

export interface EngineLimits extends AdmissionLimits {
  /**
   * A generation of memtables is flushed at this size. Larger ones make larger, better packed segments and fewer
   * compactions; two of them (one filling, one being flushed) are the larger part of the memory of a busy server.
   */
  readonly memtableBytesMax: number
  /**
   * A table with up to so many rows since the last flush shares its memory with others: beyond, the arrays of a dozen
   * fields are well filled. 0: every table has its own.
   */
  readonly smallRowsMax: number
  /** Writes waiting for the log or for a flush may hold so much; beyond, writers are told to come back. */
  readonly queuedBytesMax: number
  /** Series of one bucket. Each costs some 100 bytes plus its key, until it has no rows left. */
  readonly seriesMax: number
  /** What all buckets, and those of one owner, may have. Each stays in memory: a measurement takes kilobytes. */
  readonly allMax: Readonly<Record<'series' | 'measurements' | 'fields', number>>
  readonly ownerMax: Readonly<Record<'series' | 'measurements' | 'fields', number>>
  /** Series, and keys of tags, that one write may add; a batch that is small takes little, whatever is in it. */
  readonly seriesPerWriteMax: number
  readonly tagsPerWriteMax: number
  /** Shards that one write may reach into: each is a memtable of some 70 KB at least, and a file later on. */
  readonly shardsPerWriteMax: number
  /** Shards of one bucket: two centuries of weeks. */
  readonly shardsMax: number
  /** Segments of a shard side by side before they are merged under load. */
  readonly compactionSegments: number
  /** So long without a flush, and two are merged: the load has passed. */
  readonly quietMs: number
  /** Segments beyond this size are left alone: merging them again costs more than it saves. */
  readonly compactionBytesMax: number
  /**
   * Deletes that wait to be carried out, counted by segment and by what their predicates name; beyond, the next delete
   * waits for a merge. Each is some 100 bytes of the manifest, which every delete writes anew.
   */
  readonly tombstonesMax: number
  /**
   * Threads that share a big read, as far as there are cores; 0: every read runs where it was asked for. Each costs
   * some 20 MB from its first scan on.
   */
  readonly scanThreadsMax: number
  /** From about so many values to decode on a read is shared: 10 ms of one thread, against one to hand it over. */
  readonly scanValuesMin: number
  /**
   * So many series may be named in what is kept of a read for when it is asked again: some 50 KB with the sets made
   * from them. 0: nothing is kept.
   */
  readonly preparedSeriesMax: number
  /** Decoded blocks that small reads ask for again and again; 4,096 rows of a field are 32 KB. 0: none. */
  readonly blockCacheBytesMax: number
  /**
   * Room on the disk that is kept back for deletes and merges when it is full; 0: none. A flush of full memtables and a
   * merge of what it wrote fit into 16 MB.
   */
  readonly reservedBytes: number
  /** How often it is tried to have that room again once it was used. */
  readonly reserveRetryMs: number
  /** Of the files, to look for damage: a day's round over 86 GB at a megabyte. 0: nothing is looked at. */
  readonly scrubBytesPerSecond: number
  /** From the beginning of a round over all files to that of the next. */
  readonly scrubEveryMs: number
  /** How often a failed flush is tried again, and expired shards are looked for. */
  readonly flushRetryMs: number
  readonly retentionCheckMs: number
  /** Rows are flushed after so many retention checks without a flush, however few they are. */
  readonly flushAgeTicks: number
}

export const defaultEngineLimits: EngineLimits = {
  ...defaultAdmissionLimits,
  memtableBytesMax: 12 << 20,
  smallRowsMax: 256,
  queuedBytesMax: 64 << 20,
  seriesMax: 20_000_000,
  allMax: { series: 50_000_000, measurements: 2_000_000, fields: 10_000_000 },
  ownerMax: { series: 20_000_000, measurements: 1_000_000, fields: 5_000_000 },
  seriesPerWriteMax: 250_000,
  tagsPerWriteMax: 20_000,
  shardsPerWriteMax: 1000,
  shardsMax: 10_000,
  compactionSegments: 8,
  quietMs: 3000,
  compactionBytesMax: 1 << 30,
  tombstonesMax: 512,
  scanThreadsMax: 4,
  scanValuesMin: 1_000_000,
  preparedSeriesMax: 1000,
  blockCacheBytesMax: 16 << 20,
  reservedBytes: 0,
  reserveRetryMs: 5000,
  scrubBytesPerSecond: 0,
  scrubEveryMs: 86_400_000,
  flushRetryMs: 1000,
  retentionCheckMs: 60_000,
  flushAgeTicks: 10,
}
