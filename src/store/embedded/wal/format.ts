// The write-ahead log: frames (see frames.ts), one per group commit, each holding the records of
// the writes it made durable:
//
//   record  u32 byte length, then
//     u8[8]   bucket
//     varint  number of the first new series; varint count; per series: blob key
//     varint  number of the first new field; varint count; per field: varint measurement, text name, u8 type
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
// Plain and quick to write: a log lives for seconds, and its cost is paid by every write. New
// series and fields carry the number of the first, so that replaying what the index log already
// holds changes nothing.

export const walMagic = 0x00006c61772d726dn
export const walVersion = 1
