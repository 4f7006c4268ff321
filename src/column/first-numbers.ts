// The numbers from 0 on: of rows, series or strings, what an order or a choice of them begins with.
// `Uint32Array.from` with a function takes many times as long for it as a loop (8 x, measured on a busy machine).

export function firstNumbers(count: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(count)
  putNumbers(numbers, 0, count)
  return numbers
}

/** Those from `start` to `stop`, each at its place: for whoever makes many of them in steps. */
export function putNumbers(numbers: Uint32Array, start: number, stop: number): void {
  for (let i = start; i < stop; i++) numbers[i] = i
}
