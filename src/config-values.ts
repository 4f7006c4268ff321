// How the values of options are written: each kind says what it takes, and what a good one looks like. Which options
// there are stands in `config.ts`.

export interface OptionValue<T> {
  readonly parse: (text: string) => T | undefined
  /** What a good value looks like, for messages. */
  readonly expected: string
}

export interface HttpAddress {
  readonly host: string
  /** 0 lets the system choose a free one. */
  readonly port: number
}

export function choice<T extends string>(values: readonly T[]): OptionValue<T> {
  return {
    parse: (text) => values.find((value) => value === text),
    expected: `one of ${values.join(', ')}`,
  }
}

export function integer(min: number, max: number): OptionValue<number> {
  return {
    parse: (text) => {
      if (!/^\d{1,15}$/.test(text)) return undefined
      const value = Number(text)
      return value >= min && value <= max ? value : undefined
    },
    expected: `a whole number from ${min} to ${max}`,
  }
}

export const text: OptionValue<string> = {
  parse: (value) => (value.trim() === '' ? undefined : value),
  expected: 'a text that is not empty',
}

export const onOff: OptionValue<boolean> = {
  parse: (value) => {
    if (value === 'true' || value === '1' || value === 'on') return true
    if (value === 'false' || value === '0' || value === 'off') return false
    return undefined
  },
  expected: 'true or false',
}

/** `HOST:PORT`; an IPv6 host stands in brackets, an empty host means every interface. */
export function parseAddress(address: string): HttpAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(address)
  if (match === null) return undefined
  const port = Number(match[3])
  if (port > 65535) return undefined
  return { host: match[1] ?? (match[2] === '' ? '0.0.0.0' : match[2]), port }
}

/** A slash at the end does not matter; the root is the same as none. */
export function parseBasePath(path: string): string | undefined {
  const plain = path.replace(/\/$/, '')
  return /^(\/[\w.~-]+)*$/.test(plain) ? plain : undefined
}

export function parseCatalog(url: string): string | undefined {
  return /^postgres(?:ql)?:\/\/[^/\s]+\/[^/\s]+$/.test(url) ? url : undefined
}

/** An engine by name, or the address of a ClickHouse; the engine looks at the rest of it. */
export function parseStore(store: string): string | undefined {
  if (store === 'embedded' || store === 'plain') return store
  return /^clickhouses?:\/\/[^/\s]+\/\w+(?:\?cluster=[\w-]+)?$/.test(store) ? store : undefined
}

/** Whether a token can be sent in a header: printable ASCII without spaces. */
export function parseToken(token: string): string | undefined {
  return /^[\x21-\x7e]{1,4096}$/.test(token) ? token : undefined
}
