// What types can do: the classes that signatures name behind `where`, and which of the plain types
// belong to which of them.

export type BasicName =
  | 'bool'
  | 'int'
  | 'uint'
  | 'float'
  | 'string'
  | 'duration'
  | 'time'
  | 'regexp'
  | 'bytes'

const KINDS = [
  'Addable',
  'Basic',
  'Comparable',
  'Divisible',
  'Equatable',
  'Label',
  'Negatable',
  'Nullable',
  'Numeric',
  'Record',
  'Stringable',
  'Subtractable',
  'Timeable',
] as const

export type Kind = (typeof KINDS)[number]

const KIND_NAMES = new Map<string, Kind>(KINDS.map((kind) => [kind, kind]))

export function kindNamed(name: string): Kind | undefined {
  return KIND_NAMES.get(name)
}

const NUMBER: readonly Kind[] = [
  'Addable',
  'Basic',
  'Comparable',
  'Divisible',
  'Equatable',
  'Negatable',
  'Nullable',
  'Numeric',
  'Stringable',
  'Subtractable',
]

const BASIC_KINDS: Readonly<Record<BasicName, readonly Kind[]>> = {
  bool: ['Equatable', 'Nullable', 'Basic', 'Stringable'],
  int: NUMBER,
  uint: NUMBER,
  float: NUMBER,
  string: ['Addable', 'Comparable', 'Equatable', 'Nullable', 'Basic', 'Stringable'],
  duration: ['Comparable', 'Equatable', 'Nullable', 'Basic', 'Negatable', 'Stringable', 'Timeable'],
  time: ['Comparable', 'Equatable', 'Nullable', 'Basic', 'Timeable', 'Stringable'],
  regexp: ['Basic'],
  bytes: ['Equatable', 'Basic'],
}

const LABEL_KINDS: readonly Kind[] = [
  'Addable',
  'Comparable',
  'Equatable',
  'Label',
  'Nullable',
  'Basic',
  'Stringable',
]

export function basicIs(name: BasicName, kind: Kind): boolean {
  return BASIC_KINDS[name].includes(kind)
}

export function labelIs(kind: Kind): boolean {
  return LABEL_KINDS.includes(kind)
}

/** The kinds of both, those of the first one in front. */
export function unionOfKinds(first: readonly Kind[], second: readonly Kind[]): readonly Kind[] {
  if (second.length === 0) return first
  if (first.length === 0) return second
  const more = second.filter((kind) => !first.includes(kind))
  return more.length === 0 ? first : [...first, ...more]
}
