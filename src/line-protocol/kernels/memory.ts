// Where everything lies. All of it is given up to here once, as space that costs nothing until it is written to.
//
//   body      the lines that are read, and the line protocol of keys that were met
//   keys      24 bytes each: place and length of its bytes, number of the series, number of the measurement, the key
//             that came next last time, hash
//   tables    64 bytes each, see `tables.ts`; fields: 40 bytes each
//   rows      of all tables: what their rows and fields hold until it is taken away

/** The first bytes are the compiler's. */
const ownBytes: usize = 1 << 16

export const bodyBytes: usize = 1 << 18
/** Loads may reach beyond the last byte. */
const slackBytes: usize = 64

export const body: usize = ownBytes

export const keysMax: i32 = 1 << 17
export const keyBytes: i32 = 24
export const keys: usize = body + bodyBytes + slackBytes

/** Twice as many as keys, a power of two: the number of a key plus one, 0 is free. */
export const hashSlots: i32 = keysMax * 2
export const slots: usize = keys + keysMax * keyBytes

export const arena: usize = slots + hashSlots * 4
export const arenaBytes: usize = 8 << 20

export const measurementsMax: i32 = 1 << 14
/** By number of the measurement: its table plus one, 0: none is open. */
export const tableOf: usize = arena + arenaBytes + slackBytes

export const tablesMax: i32 = 1 << 12
export const tableBytes: i32 = 64
export const tables: usize = tableOf + measurementsMax * 4

export const fieldsMax: i32 = 1 << 14
export const fieldBytes: i32 = 40
export const fields: usize = tables + tablesMax * tableBytes

export const names: usize = fields + fieldsMax * fieldBytes
export const namesBytes: usize = 1 << 19

/** Tables that have rows. */
export const filled: usize = names + namesBytes + slackBytes

export const rows: usize = filled + tablesMax * 4
export const rowsBytes: usize = 6 << 20

export function byteLength(): usize {
  return rows + rowsBytes + slackBytes
}
