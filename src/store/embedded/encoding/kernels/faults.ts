// What is wrong with a block that cannot be read. A kernel that meets it returns `faulty` in the place of where the
// block ends.

/** No place: memory there is the compiler's. */
export const faulty: usize = 0

/** Why the last kernel failed, numbered as in `codec.ts`, and the number that goes with it. */
export let faultKind: i32 = 0
export let faultDetail: i32 = 0

export const unexpectedEnd: i32 = 1
export const badWidth: i32 = 2
export const badNumbers: i32 = 3
export const badScheme: i32 = 4
export const badException: i32 = 5
export const badPresence: i32 = 6

export function fault(kind: i32, detail: i32 = 0): usize {
  faultKind = kind
  faultDetail = detail
  return faulty
}
