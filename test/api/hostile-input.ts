// Input that nobody means well with, made from the schemas of the API document: a good body, and
// the same body with every field in turn replaced by something else. Also ids and query strings.

export interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly minimum?: number
}

const deepLevels = 200
/** Deeper than any stack. */
const bottomlessLevels = 20_000

export const injection = 'a\r\nX-Injected: 1\r\n\r\nb'

export const strangeNames = [
  '\u{1f4a9}\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  '\u202eright to left \u05d0\u05d1',
  'e\u0301\u0327\u0300'.repeat(20),
  '\ud800 alone',
  'alone \udfff',
  '\u0000nul\u0000',
  '\ufeff\u200b',
  injection,
  `'; drop table buckets; --`,
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '%s%n%x',
  '\\"\\u0000',
]

/** As texts, because some values cannot be written otherwise. Every field gets all of these... */
const wrongTypes: readonly string[] = ['-1', 'true', 'null', '"x"', '[null]', '{"a":{}}']

/** ... and some of these, which follow each other from field to field. */
const hostileTexts: readonly string[] = [
  ...['0', '1e308', '1e999', '0.5', '9007199254740993', '""', '[]', '{}'],
  ...['[null]', '[[]]', '[{}]', '[1]', '[""]', '{"a":null}', '{"type":{}}', '{"length":-1}'],
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"toString":1,"valueOf":null,"hasOwnProperty":"x"}',
  '"__proto__"',
  '"constructor"',
  '"0000000000000000"',
  JSON.stringify('x'.repeat(100_000)),
  nested('[', ']', deepLevels),
  nested('{"a":', '}', deepLevels, '1'),
  ...strangeNames.map((name) => JSON.stringify(name)),
]

function nested(open: string, close: string, levels: number, core = ''): string {
  return open.repeat(levels) + core + close.repeat(levels)
}

/** Text that stands where a field's value goes. */
const mark = '\u0001here\u0001'

export type Known = Readonly<Record<string, string>>

/** A body that the schema accepts, with ids of things that exist where `known` has them. */
export function goodBody(schema: Schema, known: Known, name: string): unknown {
  const make = (part: Schema, key: string): unknown => {
    if (part.const !== undefined) return part.const
    if (part.anyOf !== undefined) return make(part.anyOf[0], key)
    if (part.type === 'object') {
      const fields = Object.entries(part.properties ?? {})
      return Object.fromEntries(fields.map(([field, inner]) => [field, make(inner, field)]))
    }
    if (part.type === 'array') return part.items === undefined ? [] : [make(part.items, key)]
    if (part.type === 'boolean') return true
    if (part.type === 'integer' || part.type === 'number') return 1
    if (part.type === 'null') return null
    return known[key] ?? `${key}-${name}`
  }
  return make(schema, '')
}

type Step = string | number

/** Where the fields of a body are, nested ones too. */
function fieldsOf(value: unknown, path: readonly Step[] = []): Step[][] {
  if (typeof value !== 'object' || value === null) return [[...path]]
  const entries: [Step, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : Object.entries(value)
  return [[...path], ...entries.flatMap(([key, inner]) => fieldsOf(inner, [...path, key]))]
}

function withMark(value: unknown, path: readonly Step[]): unknown {
  if (path.length === 0) return mark
  const [step, ...rest] = path
  const inner = withMark((value as Record<Step, unknown>)[step], rest)
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? inner : item))
  return { ...(value as object), [step]: inner }
}

/** Every field, and the body as a whole, replaced in turn. */
export function* wrongBodies(body: unknown, first: number): Generator<string> {
  let turn = first
  for (const path of fieldsOf(body)) {
    const [before, after] = JSON.stringify(withMark(body, path)).split(JSON.stringify(mark))
    for (const text of wrongTypes) yield before + text + after
    for (let i = 0; i < 3; i++) yield before + hostileTexts[turn++ % hostileTexts.length] + after
  }
}

/** Not what JSON looks like, or more of it than anybody needs. */
export function brokenBodies(body: unknown): (string | Uint8Array)[] {
  const good = JSON.stringify(body)
  const open = good.startsWith('{') && good.length > 2 ? `${good.slice(0, -1)},` : '{'
  const inside = good.startsWith('{') && good.length > 2 ? `,${good.slice(1)}` : '}'
  return [
    '',
    ' ',
    'null',
    'not json',
    '\ufeff{}',
    good.slice(0, -1),
    good.slice(0, good.length / 2),
    `${good}${good}`,
    `{"__proto__":{"polluted":1}${inside}`,
    `{"constructor":{"prototype":{"polluted":1}}${inside}`,
    `{"nobody knows":[{"this":1}]${inside}`,
    new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    new Uint8Array(1000),
    nested('[', ']', bottomlessLevels),
    nested('{"a":', '}', bottomlessLevels, '1'),
    `${open}"properties":${nested('{"a":', '}', bottomlessLevels, '1')}}`,
    `${open}"params":${nested('{"a":', '}', bottomlessLevels, '1')}}`,
  ]
}

/** As they stand in a path. */
export const hostileIds: readonly string[] = [
  ...['0000000000000000', 'ffffffffffffffff', '0123456789ABCDEF', '0123456789abcde'],
  ...['0123456789abcdef0', 'ghijklmnopqrstuv', '-1', '0', '1e9', 'null', 'undefined', '*'],
  ...['__proto__', 'constructor', '..%2f..%2fetc%2fpasswd', '..%5c', '%00', 'a%00b', '..%00'],
  ...['%0d%0aX-Injected:%201', '%f0%9f%92%a9', '%ff%fe', '%zz', '%', '%25', '%27%20or%201=1--'],
  'a'.repeat(1000),
  'a'.repeat(5000),
]

const names = (
  'org orgID bucket bucketID id name user userID userName token limit offset after descending ' +
  'sortBy status type kind authID precision prefix start stop limit labelID stackID pluginID ' +
  'afterTime beforeTime include label tag db rp default owner raw toml'
).split(' ')

const values: readonly string[] = [
  ...['', '-1', '0', '1.5', '99999999999999999999', '1e3', 'NaN', 'true', '%F0%9F%92%A9', '%ff'],
  ...['%0d%0aX-Injected:%201', '%00', '%zz', '__proto__', '0000000000000000', '%27--'],
  'x'.repeat(5000),
]

export function hostileQueries(): string[] {
  return [
    ...values.map(
      (value) =>
        `?${names
          .map((name) => `${name}=${value}`)
          .join('&')
          .slice(0, 9000)}`,
    ),
    ...names.flatMap((name) => values.map((value) => `?${name}=${value}`)),
    ...names.map((name) => `?${name}=a&${name}=b&${name}[]=c&${name}[x]=d&${name}.e=f`),
    '?__proto__[polluted]=1&constructor[prototype][polluted]=1',
    `?${'a=1&'.repeat(3000)}`,
    '?&&&===%',
  ]
}
