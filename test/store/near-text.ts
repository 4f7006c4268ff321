// Answers of engines that add floats in another order.

const number = /-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi

/** The same but for the last digits of floats; integers are equal or not. */
export function isNear(actual: string, expected: string): boolean {
  if (actual === expected) return true
  const [found, wanted] = [actual.match(number) ?? [], expected.match(number) ?? []]
  if (actual.replace(number, '#') !== expected.replace(number, '#')) return false
  return found.every((text, i) => {
    if (text === wanted[i]) return true
    if (!/[.e]/i.test(text + wanted[i])) return false
    const [a, b] = [Number(text), Number(wanted[i])]
    return Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b))
  })
}
