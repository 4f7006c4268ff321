// The write-ahead log: frames (see frames.ts). The first says where in the chain of logs the file stands, so that one
// that was removed or cut off is found out:
//
//   varint  number of the log before it, 0: none; varint where that one ended
//   varint  number of the manifest in force
//
// The others are one per group commit, each holding the records of the writes it made durable. The last one of a log
// that was followed by another holds u32 zero and a varint, the number of the next.
//
//   record  u32 byte length, then
//     u8[8]   bucket
//     varint  number of the first new series; varint count; per series: blob key
//     varint  number of the first new field; varint count; per field: varint measurement, field
//     varint  tables; per table:
//       i64     start of the shard; i64 stop
//       varint  measurement; varint rows
//       numbers series; numbers offsets from the start of the shard
//       varint  fields; per field: varint field, u8 type, u8 flags (1 = validity), flag 1: u8[rows] validity, then
//               float, integer, unsigned   numbers
//               boolean                    u8[rows]
//               string                     varint entries; numbers offsets (entries + 1); the bytes; numbers codes
//   numbers   u8 width, then
//     0   f64: every number is this one
//     1, 2, 4  f64 base, then number - base in so many bytes
//     8   f64 each
//     9   i64 each (wide integers)
//
// A log that will be archived (version 3) has notes among the records of a frame: u32 0xffffffff, then a blob that
// begins with u8 its kind:
//
//   1 time    i64 when the frame was written; the first of every frame
//   2 delete  text bucket; i64 start; i64 stop; text JSON of measurement and predicate
//   3 drop    text bucket
//
// Plain and quick to write: a log lives for seconds, and its cost is paid by every write. New
// series and fields carry the number of the first, so that replaying what the index log already
// holds changes nothing.

export const walMagic = 0x00006c61772d726dn
/** What is written, and where logs are archived. */
export const walVersion = 2
export const walVersionNoted = 3
/** The oldest that is read: without the first frame and the last one. */
export const walVersionMin = 1

export interface WalStart {
  /** Number of the log before it; 0: there was none. */
  readonly before: number
  /** Where that one ended. */
  readonly beforeEnd: number
  /** Number of the manifest in force when the log was begun. */
  readonly manifest: number
}
