// The machine's time as HTTP writes it in the heads of answers: to the second, so that it is written once for all
// answers of a second.

let text: string | undefined

export function httpDate(): string {
  if (text !== undefined) return text
  const now = new Date()
  text = now.toUTCString()
  setTimeout(forget, 1000 - now.getMilliseconds()).unref()
  return text
}

function forget(): void {
  text = undefined
}
