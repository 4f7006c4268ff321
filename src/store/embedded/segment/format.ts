// A segment: the points of one shard of one bucket, immutable, sorted by measurement, series (key
// order) and time.
//
//   header      8 bytes  magic "mr-segm" and a zero byte
//               u32      version
//               u32      number of the manifest in force when it was made; 0: manifests had none
//   row groups  blocks one after the other, each on a multiple of 4:
//                 series block   only where the group holds several series: integer block of series numbers,
//                                integer block of rows per series
//                 time block     offsets from the segment's base time
//                 column blocks  one per field that has a value in the group
//   directory   what lies where; see directory.ts
//   footer      i64      offset of the directory
//               u32      byte length of the directory
//               u32      CRC-32 of the directory
//               u32      version
//               u32      number of the manifest again
//               8 bytes  magic
//
// Blocks say themselves how they are written: version 2 brought other ways for times, integers, floats and gaps, which
// are read in parts of 128 rows, and files of version 1 are read as ever.
//
// A series with many rows has row groups of its own; series with few share a group, so that a
// million series of three rows are some hundred groups. Every block's CRC-32 stands in the
// directory. A segment is written once, synced, and then named by the manifest; there is no way to
// change one.

export const segmentMagic = 0x006d6765732d726dn
/** What is written. */
export const segmentVersion = 2
/** The oldest that is read. */
export const segmentVersionMin = 1
export const segmentHeaderBytes = 16
export const segmentFooterBytes = 32

/** Rows of one group at most: a block of a narrow column is then 1 to 4 KB, and decodes in about 10 µs. */
export const groupRowsMax = 4096

/** A series with fewer rows shares its group with its neighbours. */
export const groupRowsMin = 512
