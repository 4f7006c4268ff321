// Every rule of the grammar and every error text, one case a line. Results are compared as printed
// lines, which the round trip tests show to be faithful.

import { describe, expect, test } from 'vitest'
import { isWide, valueAt } from '../column/column.js'
import { parseSeriesKey } from '../column/series.js'
import { timeAt } from '../column/time.js'
import { LineProtocolParser, type Precision } from './parser.js'
import { printWriteBatch } from './printer.js'

const now = 1_700_000_000_123_456_789n

function parse(text: string, precision: Precision = 'ns') {
  return new LineProtocolParser().parse(Buffer.from(text), { precision, now })
}

function lines(text: string, precision: Precision = 'ns'): string {
  const result = parse(text, precision)
  expect(result.errors).toEqual([])
  return printWriteBatch(result.batch).trimEnd()
}

function onlyField(text: string) {
  const { batch, errors } = parse(text)
  expect(errors).toEqual([])
  return batch.tables[0].fields[0]
}

/** Bad line, reason. As a 1.x server answers, except where the case says otherwise. */
const badLines: readonly (readonly [string, string])[] = [
  ['cpu', 'missing fields'],
  ['cpu,t=1', 'missing fields'],
  [',t=1 f=1', 'missing measurement'],
  ['cpu,=a f=1', 'missing tag key'],
  ['cpu, f=1', 'missing tag key'],
  ['cpu,', 'missing tag key'],
  ['cpu,t f=1', 'missing tag value'],
  ['cpu,t= f=1', 'missing tag value'],
  ['cpu,t=,u=1 f=1', 'missing tag value'],
  ['cpu,t=', 'missing tag value'],
  ['cpu,t=a=b f=1', 'invalid tag format'],
  ['cpu,t=a,t=b f=1', 'duplicate tags'],
  ['cpu,b=1,a=1,b=2 f=1', 'duplicate tags'],
  ['cpu,_field=a f=1', 'cannot use reserved tag key "_field"'],
  ['cpu,_measurement=a f=1', 'cannot use reserved tag key "_measurement"'],
  ['cpu,time=a f=1', 'cannot use reserved tag key "time"'],
  ['cpu,\x00=a f=1', 'cannot use reserved tag key "\\x00"'],
  ['cpu ', 'invalid field format'],
  ['cpu f', 'invalid field format'],
  ['cpu f=1,g', 'invalid field format'],
  ['cpu f=1,', 'invalid field format'],
  ['cpu f=1,,g=2', 'invalid field format'],
  ['cpu f=1, 1', 'invalid field format'],
  ['cpu ,f=1', 'invalid field format'],
  ['cpu f =1', 'invalid field format'],
  ['cpu a b=1', 'invalid field format'],
  ['cpu f="a"=1', 'invalid field format'],
  // Real servers take these two and store a quote that nobody wrote.
  ['cpu f="a"b', 'invalid field format'],
  ['cpu f="a""b"', 'invalid field format'],
  ['cpu a b=tru', 'invalid field format'],
  ['cpu a,b=tru', 'invalid boolean'],
  ['cpu a,=1', 'missing field key'],
  ['cpu a,b=,c=1', 'missing field value'],
  ['my cpu,t=a b=1', 'invalid boolean'],
  ['cpu f="a"b"', 'unbalanced quotes'],
  ['cpu f="a', 'unbalanced quotes'],
  ['cpu f="a\\" 1', 'unbalanced quotes'],
  ['cpu =1', 'missing field key'],
  ['cpu \t=1', 'missing field key'],
  ['cpu f=1,=2', 'missing field key'],
  ['cpu f=', 'missing field value'],
  ['cpu f= 1', 'missing field value'],
  ['cpu f=,g=1', 'missing field value'],
  ['cpu f=1.1.1', 'invalid number'],
  ['cpu f=-', 'invalid number'],
  ['cpu f=- 1', 'invalid number'],
  ['cpu f=.', 'invalid number'],
  ['cpu f=-.', 'invalid number'],
  ['cpu f=-i', 'invalid number'],
  ['cpu f=1.0i', 'invalid number'],
  ['cpu f=.5i', 'invalid number'],
  ['cpu f=1e5i', 'invalid number'],
  ['cpu f=1i2', 'invalid number'],
  ['cpu f=1ii', 'invalid number'],
  ['cpu f=NaN', 'invalid number'],
  ['cpu f=n', 'invalid number'],
  ['cpu f=-inf', 'invalid number'],
  ['cpu f=-1u', 'invalid number'],
  ['cpu f=1-2', 'invalid number'],
  ['cpu f=--1', 'invalid number'],
  ['cpu f=1e+-5', 'invalid number'],
  ['cpu f=0x10', 'invalid number'],
  ['cpu f=1_0', 'invalid number'],
  ['cpu f=1\t1', 'invalid number'],
  ['cpu f=1e400', 'invalid float'],
  [`cpu f=${'1'.repeat(400)}`, 'invalid float'],
  ['cpu f=1e', 'invalid float'],
  ['cpu f=1e+', 'invalid float'],
  ['cpu f=-e1', 'invalid float'],
  ['cpu f=.e1', 'invalid float'],
  ['cpu f=1e1e1', 'invalid float'],
  ['cpu f=1e1.5', 'invalid float'],
  [
    'cpu f=9223372036854775808i',
    'unable to parse integer 9223372036854775808: strconv.ParseInt: ' +
      'parsing "9223372036854775808": value out of range',
  ],
  [
    'cpu f=-9223372036854775809i',
    'unable to parse integer -9223372036854775809: strconv.ParseInt: ' +
      'parsing "-9223372036854775809": value out of range',
  ],
  [
    'cpu f=18446744073709551616u',
    'unable to parse unsigned 18446744073709551616: strconv.ParseUint: ' +
      'parsing "18446744073709551616": value out of range',
  ],
  ['cpu f=tru', 'invalid boolean'],
  ['cpu f=truee', 'invalid boolean'],
  ['cpu f=TrUE', 'invalid boolean'],
  ['cpu f=abc', 'invalid boolean'],
  ['cpu f=inf', 'invalid boolean'],
  ['cpu f=+1', 'invalid boolean'],
  ['cpu f=i', 'invalid boolean'],
  ['cpu f=e1', 'invalid boolean'],
  ['cpu f=t=1', 'invalid boolean'],
  ['cpu f=toString', 'invalid boolean'],
  ['cpu f=1 12a', 'bad timestamp'],
  ['cpu f=1 g=2', 'bad timestamp'],
  ['cpu f=1 --1', 'bad timestamp'],
  ['cpu f=1 1-', 'bad timestamp'],
  ['cpu f=1 1\t', 'bad timestamp'],
  ['cpu f=1 # c', 'bad timestamp'],
  ['cpu f=1 -', 'strconv.ParseInt: parsing "-": invalid syntax'],
  [
    'cpu f=1 9223372036854775808',
    'strconv.ParseInt: parsing "9223372036854775808": value out of range',
  ],
  ['cpu f=1 9223372036854775807', 'time outside range -9223372036854775806 - 9223372036854775806'],
  ['cpu f=1 -9223372036854775807', 'time outside range -9223372036854775806 - 9223372036854775806'],
  ['cpu f=1 123 4', 'point is invalid'],
  ['cpu f=1 123 \t', 'point is invalid'],
]

test.each(badLines)('bad line %j: %s', (line, reason) => {
  const message = `unable to parse '${line}': ${reason}`
  const after = '\nok f=1 1'
  // Alone, with a newline, with a carriage return, and between good lines (unless a quote swallows
  // them).
  for (const text of [line, `${line}\n`, `${line}\r\n`]) {
    expect(parse(text)).toMatchObject({ errors: [{ line: 1, message, reason }], errorCount: 1 })
    expect(parse(text).batch).toEqual({ tables: [], pointCount: 0 })
  }
  if (reason === 'unbalanced quotes') return
  const result = parse(`ok f=0 0\n${line}${after}`)
  expect(result.errors).toEqual([{ line: 2, message, reason }])
  expect(printWriteBatch(result.batch)).toBe('ok f=0 0\nok f=1 1\n')
})

/** Good line, how it prints. */
const goodLines: readonly (readonly [string, string])[] = [
  ['cpu f=1 1', 'cpu f=1 1'],
  ['  cpu f=1 1', 'cpu f=1 1'],
  ['\t\x00cpu f=1 1', 'cpu f=1 1'],
  ['cpu  f=1  1  ', 'cpu f=1 1'],
  ['cpu \tf=1 \t1', 'cpu f=1 1'],
  ['cpu f=1 -1', 'cpu f=1 -1'],
  ['cpu f=1 0000000000000000000000000000001', 'cpu f=1 1'],
  ['cpu,b=1,a=2 f=1 1', 'cpu,a=2,b=1 f=1 1'],
  ['cpu,t==b f=1 1', 'cpu,t=\\=b f=1 1'],
  ['cpu,t="a" f=1 1', 'cpu,t="a" f=1 1'],
  ['cpu,#=# #=1 1', 'cpu,#=# #=1 1'],
  ["'cpu' 'f'=1 1", "'cpu' 'f'=1 1"],
  ['"cpu",t=a "f"=1 1', '"cpu",t=a "f"=1 1'],
  ['cpu=x f=1 1', 'cpu=x f=1 1'],
  ['cpu\\=x f=1 1', 'cpu\\=x f=1 1'],
  [
    'c\\,p\\ u,t\\,\\ \\==a\\,\\ \\= f\\,\\ \\==1 1',
    'c\\,p\\ u,t\\,\\ \\==a\\,\\ \\= f\\,\\ \\==1 1',
  ],
  ['c\\pu,t\\k=v\\w f\\g=1 1', 'c\\pu,t\\k=v\\w f\\g=1 1'],
  ['cpu,t=a\\\\,b f=1 1', 'cpu,t=a\\\\,b f=1 1'],
  ['mü,é=日本 ß=1 1', 'mü,é=日本 ß=1 1'],
  ['cpu f=1,f=2 1', 'cpu f=2 1'],
  ['cpu f=1,f="a" 1', 'cpu f="a" 1'],
  ['cpu f=1,f="a",f=2 1', 'cpu f=2 1'],
  ['cpu f=1.,g=.5,h=-.5,i=1E-3,j=-1.23e+78 1', 'cpu f=1,g=0.5,h=-0.5,i=0.001,j=-1.23e+78 1'],
  ['cpu f=-0,g=0,h=-0i,i=-0.0 1', 'cpu f=-0,g=0,h=0i,i=-0 1'],
  [
    'cpu f=1e-400,g=5e-324,h=1.7976931348623157e308 1',
    'cpu f=0,g=5e-324,h=1.7976931348623157e+308 1',
  ],
  ['cpu f=00012i,g=-00012i,h=007u 1', 'cpu f=12i,g=-12i,h=7u 1'],
  [
    'cpu f=123456789i,g=1234567890i,h=-123456789012345i 1',
    'cpu f=123456789i,g=1234567890i,h=-123456789012345i 1',
  ],
  ['cpu f=t,g=T,h=true,i=True,j=TRUE 1', 'cpu f=true,g=true,h=true,i=true,j=true 1'],
  ['cpu f=f,g=F,h=false,i=False,j=FALSE 1', 'cpu f=false,g=false,h=false,i=false,j=false 1'],
  ['cpu f="",g="a=b, c d" 1', 'cpu f="",g="a=b, c d" 1'],
  ['cpu f="a\\"b\\\\c\\n\\d" 1', 'cpu f="a\\"b\\\\c\\\\n\\\\d" 1'],
  ['cpu f="\\\\" 1', 'cpu f="\\\\" 1'],
  ['cpu f="a\nb\r\nc" 1', 'cpu f="a\nb\r\nc" 1'],
  ['cpu f="#\n# a" 1', 'cpu f="#\n# a" 1'],
  ['cpu time=1 1', 'cpu time=1 1'],
  ['_cpu,_t=1 _f=1 1', '_cpu,_t=1 _f=1 1'],
]

test.each(goodLines)('good line %j prints as %j', (line, printed) => {
  for (const text of [line, `${line}\n`, `${line}\r\n`, `\n\r\n # c="\n${line}\n \n`]) {
    expect(lines(text)).toBe(printed)
    expect(parse(text).lineCount).toBe(1)
  }
})

describe('line ends', () => {
  test('comments, blank lines and carriage returns', () => {
    const text = '# one\r\n\r\ncpu f=1 1\r\n  # two\n\t\ncpu f=2i\r\ncpu f="x"\r\ncpu f=t 2 \r\n#'
    expect(lines(text).split('\n')).toEqual([
      'cpu f=1 1',
      'cpu f=true 2',
      `cpu f=2i ${now}`,
      `cpu f="x" ${now}`,
    ])
    expect(parse(text).lineCount).toBe(4)
  })

  test('a carriage return elsewhere is not a line end', () => {
    expect(parse('cpu f=1\r 1').errors[0].reason).toBe('invalid number')
    expect(parse('cpu f=1 1\r\r\n').errors[0].reason).toBe('bad timestamp')
  })

  test('a backslash does not protect the newline', () => {
    const { errors, batch } = parse('cpu\\\nx f=1 1')
    expect(errors.map((e) => e.message)).toEqual(["unable to parse 'cpu\\': missing fields"])
    expect(printWriteBatch(batch)).toBe('x f=1 1\n')
  })

  test('lines are counted through quotes, comments and errors', () => {
    const text = '\na f="1\n2" 1\n# c\nbad\nb f="\n" x\nc f=1 1\n\nd f=1 1'
    const { batch, errors, lineCount } = parse(text)
    expect(batch.tables.map((t) => [t.measurement, t.lines[0]])).toEqual([
      ['a', 2],
      ['c', 8],
      ['d', 10],
    ])
    expect(errors.map((e) => e.line)).toEqual([5, 6])
    expect(lineCount).toBe(5)
  })

  test('an open quote swallows the rest', () => {
    const { errors, batch } = parse('a f=1 1\nb f="x 1\nc f=1 1\n')
    expect(errors.map((e) => e.message)).toEqual([
      `unable to parse 'b f="x 1\nc f=1 1': unbalanced quotes`,
    ])
    expect(batch.pointCount).toBe(1)
  })

  test('a quote that the search for line ends does not see, in a body without newline', () => {
    expect(lines('a,a\\\\ \\,="\\, f="\n" 1')).toBe('a,a\\\\ \\,="\\, f="\n" 1')
  })

  test('a quoted newline before the end of a body without newline', () => {
    expect(lines('a f="x\ny" 1')).toBe('a f="x\ny" 1')
    expect(parse('a f=1.1.1,g="x\ny" 1').errors[0].message).toContain('y" 1\': invalid number')
  })

  test('empty bodies', () => {
    for (const text of ['', '\n', ' ', '\r\n', '#']) {
      expect(parse(text)).toEqual({
        batch: { tables: [], pointCount: 0 },
        errors: [],
        errorCount: 0,
        lineCount: 0,
      })
    }
  })
})

describe('times', () => {
  test.each([
    ['ns', 1_700_000_000_123_456_789n],
    ['us', 1_700_000_000_123_456_000n],
    ['ms', 1_700_000_000_123_000_000n],
    ['s', 1_700_000_000_000_000_000n],
    ['m', 1_699_999_980_000_000_000n],
    ['h', 1_699_999_200_000_000_000n],
  ] as const)('now in %s', (precision, time) => {
    expect(timeAt(parse('cpu f=1', precision).batch.tables[0].times, 0)).toBe(time)
  })

  const units = {
    ns: 1n,
    us: 1_000n,
    ms: 1_000_000n,
    s: 1_000_000_000n,
    m: 60_000_000_000n,
    h: 3_600_000_000_000n,
  } as const

  test.each(Object.entries(units))('range and exactness in %s', (precision, unit) => {
    const max = 9223372036854775806n / unit
    for (const value of [0n, 1n, -1n, 7n, 1_234_567n, max - 1n, max, -max, 1n - max, max / 3n]) {
      const { batch } = parse(`cpu f=1 ${value}`, precision as Precision)
      expect(timeAt(batch.tables[0].times, 0)).toBe(value * unit)
    }
    const beyond = max + 1n
    for (const value of [beyond, -beyond]) {
      const { errors } = parse(`cpu f=1 ${value}`, precision as Precision)
      expect(errors[0].reason).toBe('time outside range -9223372036854775806 - 9223372036854775806')
    }
  })

  test('times far apart go to tables of their own, in any order', () => {
    const times = [0n, 2n ** 53n - 1n, 2n ** 53n, -1n, 5n, 2n ** 62n, -(2n ** 53n), 2n ** 53n + 1n]
    const text = times.map((time, i) => `cpu,n=${i} f=${i}i,g="${i}" ${time}`).join('\n')
    const { batch } = parse(`${text}\n${text}\n`)
    expect(batch.pointCount).toBe(16)
    expect(batch.tables.map((t) => t.rowCount)).toEqual([6, 4, 4, 2])
    const printed = printWriteBatch(batch).trimEnd().split('\n')
    expect(printed.sort()).toEqual(`${text}\n${text}`.split('\n').sort())
    for (const table of batch.tables) {
      for (let row = 0; row < table.rowCount; row++) {
        expect(Number.isSafeInteger(table.times.offsets[row])).toBe(true)
      }
    }
  })

  test('the last value of a point comes last although its table is not the last', () => {
    const far = 2n ** 52n + 2n ** 53n
    const text = ['cpu f=1 1', `cpu f=2 ${far}`, 'cpu f=3 1', `cpu f=4 ${far}`].join('\n')
    expect(lines(text)).toBe(`cpu f=1 1\ncpu f=3 1\ncpu f=2 ${far}\ncpu f=4 ${far}`)
  })
})

describe('columns', () => {
  test('integers stay numbers while safe and become wide otherwise', () => {
    const safe = onlyField('cpu f=9007199254740991i 1\ncpu f=-9007199254740991i 2').column
    expect(isWide(safe)).toBe(false)
    const text = 'cpu f=1i 1\ncpu g=1i 2\ncpu f=9223372036854775807i 3\ncpu f=-5i 4'
    const wide = onlyField(`${text}\ncpu f=-9223372036854775808i 5`).column
    expect(isWide(wide)).toBe(true)
    expect([0, 1, 2, 3, 4].map((row) => valueAt(wide, row))).toEqual([
      1n,
      null,
      2n ** 63n - 1n,
      -5n,
      -(2n ** 63n),
    ])
    const unsigned = onlyField('cpu f=18446744073709551615u 1\ncpu f=0u 2').column
    expect(unsigned.values).toBeInstanceOf(BigUint64Array)
    expect([0, 1].map((row) => valueAt(unsigned, row))).toEqual([2n ** 64n - 1n, 0n])
  })

  test('integers of many digits are exact', () => {
    const texts = [
      ...['1704067260000000001', '-1704067260000000001', '9223372035999999999'],
      ...['9223372036000000000', '9223372036854775807', '-9223372036854775808'],
      ...['999999999999999999', '0000000000000000007', '00000000000000000012'],
    ]
    for (const text of texts) {
      expect(BigInt(valueAt(onlyField(`cpu f=${text}i 1`).column, 0) as number)).toBe(BigInt(text))
    }
    const { errors } = parse('cpu f=1704067260000000001ix 1')
    expect(errors.map(({ reason }) => reason)).toEqual(['invalid number'])
  })

  test('a wide column grows', () => {
    const text = Array.from({ length: 100 }, (_, i) => `cpu f=${2n ** 62n + BigInt(i)}i ${i}`)
    expect(lines(text.join('\n'))).toBe(text.join('\n'))
  })

  test('a field that some rows lack has a validity array', () => {
    const text = 'm a=1,b=1i 1\nm b=2i,c="x" 2\nm a=3 3\nm d=true 4'
    expect(lines(text)).toBe(text)
    const dense = parse('m a=1,b=1 1\nm b=2,a=2 2').batch.tables[0].fields
    expect(dense.map((field) => field.column.validity)).toEqual([undefined, undefined])
  })

  test('a field of two types is two fields', () => {
    const { batch } = parse('m f=1 1\nm f=2i 2\nm f=3 3')
    expect(batch.tables[0].fields.map((f) => [f.name, f.column.type])).toEqual([
      ['f', 'float'],
      ['f', 'integer'],
    ])
    expect(printWriteBatch(batch)).toBe('m f=1 1\nm f=2i 2\nm f=3 3\n')
  })

  test('a bad line leaves no column, table or series behind', () => {
    const { batch } = parse('m a=1 1\nm,t=new b=1,a=2,c=x 2\nn z=1 x\nm a=3 3\nm b=4,q=')
    expect(printWriteBatch(batch)).toBe('m a=1 1\nm a=3 3\n')
    expect(batch.tables.map((t) => t.fields.map((f) => f.name))).toEqual([['a']])
    expect(batch.tables[0].keys.count).toBe(1)
  })

  test('strings share dictionary entries with recent equal ones', () => {
    const text = Array.from({ length: 60 }, (_, i) => `m s="${'abc'[i % 3]}",e="\\"" ${i}`)
    const { batch } = parse(text.join('\n'))
    const [s, e] = batch.tables[0].fields.map((field) => field.column)
    expect(s.type === 'string' && s.dictionary.count).toBe(3)
    expect(e.type === 'string' && e.dictionary.count).toBeLessThanOrEqual(60)
    expect(lines(text.join('\n'))).toBe(text.join('\n'))
  })

  test('floats are the nearest float64 to their text', () => {
    const texts = ['0.1', '123.456', '9007199254740993', '0.30000000000000004', '1e22', '1e23']
    texts.push('123456789012345678', '4.35', '2.2250738585072011e-308', `0.${'0'.repeat(30)}1`)
    texts.push('9007199254740991.5', '179769313486231580793728971405301e276', '1.0000000000000002')
    for (const text of texts) {
      const { column } = onlyField(`cpu f=${text} 1`)
      expect(Object.is(valueAt(column, 0), Number(text))).toBe(true)
    }
  })
})

const fullFields = Array.from({ length: 30 }, (_, i) => `f${i}=${i}`).join()

describe('limits', () => {
  test('series key and field name together', () => {
    const line = (tag: number, field: number) => `m,t=${'x'.repeat(tag)} ${'f'.repeat(field)}=1 1`
    expect(parse(line(65526, 1)).errorCount).toBe(0)
    const long = parse(line(65526, 2))
    expect(long.errors[0].reason).toBe('max key length exceeded: 65536 > 65535')
    const longer = parse(line(65532, 1))
    expect(longer.errors[0].reason).toBe('max key length exceeded: 65536 > 65535')
    // A short name is fine beside a long one known from another series.
    const text = `m ${'f'.repeat(60000)}=1 1\n${line(6000, 1)}\n${line(6000, 59999)}`
    expect(parse(text).errors.map((e) => e.line)).toEqual([3])
  })

  test('many tags and fields on a line', () => {
    const tags = Array.from({ length: 300 }, (_, i) => `t${1000 - i}=${i}`)
    const fields = Array.from({ length: 300 }, (_, i) => `f${i}=${i}i`)
    const { batch } = parse(`m,${tags.join(',')} ${fields.join(',')} 1`)
    expect(parseSeriesKey(batch.tables[0].keys.key(0)).tags.map((t) => t.key)).toEqual(
      tags.map((t) => t.split('=')[0]).sort(),
    )
    expect(batch.tables[0].fields.map((f) => f.name)).toEqual(fields.map((f) => f.split('=')[0]))
  })

  test('rows with a new field each do not make a square of empty cells', () => {
    const text = Array.from({ length: 3000 }, (_, i) => `m,t=${i} f${i}=${i}i,a=t ${i}`)
    const { batch, errorCount } = parse(text.join('\n'))
    expect([errorCount, batch.pointCount]).toEqual([0, 3000])
    let cells = 0
    for (const { fields, series } of batch.tables) cells += fields.length * series.length
    expect(cells).toBeLessThan(4e6)
    const expected = text.map((line) => line.replace('a=t', 'a=true').split(/[ ,]/).sort().join())
    const printed = printWriteBatch(batch).trimEnd().split('\n')
    expect(printed.map((line) => line.split(/[ ,]/).sort().join())).toEqual(expected)
    // Full rows may have as many cells as they like.
    const full = Array.from({ length: 20_000 }, (_, i) => `m ${fullFields} ${i}`).join('\n')
    expect(parse(full).batch.tables.map((t) => t.rowCount)).toEqual([20_000])
  })

  test('bad lines after a line of many fields', () => {
    const many = Array.from({ length: 5000 }, (_, i) => `f${i}=${i}i`).join()
    const text = `m ${many} 1\n${'m f7=1i,f8=x 2\n'.repeat(1000)}m f7=8i 3\nm f9=1i 1`
    const { batch, errorCount } = parse(text)
    expect(errorCount).toBe(1000)
    expect(printWriteBatch(batch)).toBe(`m ${many} 1\nm f7=8i 3\nm f9=1i 1\n`)
  })

  test('of two values for one point the later is in a later table or a later row', () => {
    const far = 2n ** 60n
    const text: string[] = []
    for (let i = 0; i < 2000; i++) text.push(`m f${i}=1i,last=${i}i ${i % 3 === 0 ? far : 7}`)
    const { batch } = parse(text.join('\n'))
    const last = new Map<bigint, string>()
    for (const line of printWriteBatch(batch).trimEnd().split('\n')) {
      const [, , value, time] = line.match(/ (.*last=(\d+)i.*) (\d+)$/)!
      last.set(BigInt(time), value)
    }
    expect(last).toEqual(
      new Map([
        [far, '1998'],
        [7n, '1999'],
      ]),
    )
  })

  test('the first hundred errors are kept, all are counted', () => {
    const { errors, errorCount, lineCount, batch } = parse('bad\nm f=1 1\n'.repeat(150))
    expect([errors.length, errorCount, lineCount, batch.pointCount]).toEqual([100, 150, 300, 150])
  })

  test('tags sort by the bytes of their keys without escapes', () => {
    const { batch } = parse('m,a!=1,a\\ =2,é=3,z=4,Z=5 f=1 1')
    expect(Buffer.from(batch.tables[0].keys.key(0)).toString()).toBe('m,Z=5,a\\ =2,a!=1,z=4,é=3')
  })

  test('broken UTF-8 stays in the key as it is', () => {
    const body = Buffer.from('m,t=\xff f=1 1\nm,t=\xfe \xff=1,\xfe=2 2', 'latin1')
    const { batch, errors } = new LineProtocolParser().parse(body, { precision: 'ns', now })
    expect(errors).toEqual([])
    expect(Buffer.from(batch.tables[0].keys.key(0)).toString('latin1')).toBe('m,t=\xff')
    // Names are text, and two broken ones that read the same are one field.
    expect(batch.tables[0].fields.map((f) => f.name)).toEqual(['f', '\ufffd'])
  })
})

test('takes so many fields of one request, and refuses lines with others', () => {
  const parser = new LineProtocolParser({ fieldsMax: 3 })
  const parse = (text: string) => parser.parse(Buffer.from(text), { precision: 'ns', now: 0n })
  const first = parse('a x=1,y=1 1\nb x=1 1\na z=1 2\nb x=2 2\na y=2,x=2 3\nc x=1 1')
  expect(first.batch.tables.map(({ measurement, rowCount }) => [measurement, rowCount])).toEqual([
    ['a', 2],
    ['b', 2],
  ])
  const reason = 'a write may have at most 3 fields in all its measurements (--write-fields-max)'
  expect(first.errors.map(({ line, reason: why }) => [line, why])).toEqual([
    [3, reason],
    [6, reason],
  ])
  parser.release(first.batch)
  const second = parse('c x=1,y=1,z=1 1')
  expect([second.errorCount, second.batch.pointCount]).toEqual([0, 1])
})

test('fields of another span of time are columns of their own, and count', () => {
  const parser = new LineProtocolParser({ fieldsMax: 3 })
  const parse = (text: string) => parser.parse(Buffer.from(text), { precision: 's', now: 0n })
  const { batch, errors } = parse('a x=1,y=1 1\na x=1,y=2 3\na y=1,x=1 100000000')
  expect(batch.pointCount).toBe(2)
  expect(errors.map(({ line }) => line)).toEqual([3])
  expect(errors[0].reason).toContain('--write-fields-max')
})

test('names of fields count also where their values are bad: they are remembered', () => {
  const parser = new LineProtocolParser({ fieldsMax: 2 })
  const parse = (text: string) => parser.parse(Buffer.from(text), { precision: 's', now: 0n })
  const { errors } = parse('a x=? 1\na y=? 1\na z=? 1')
  expect(errors.map(({ reason }) => reason.includes('--write-fields-max'))).toEqual([
    false,
    false,
    true,
  ])
})

test('counts a measurement once for each span of time that its points lie in', () => {
  const parser = new LineProtocolParser({ measurementsMax: 2 })
  const parse = (text: string) => parser.parse(Buffer.from(text), { precision: 's', now: 0n })
  const { batch, errors } = parse(
    'a f=1 1\na f=1 100000000\na f=1 200000000\na f=2 2\na f=3 100000001',
  )
  expect(batch.pointCount).toBe(4)
  expect(errors.map(({ line }) => line)).toEqual([3])
  expect(errors[0].reason).toContain('--write-measurements-max')
})

test('takes so many measurements of one request, and refuses lines of others before they cost memory', () => {
  const parser = new LineProtocolParser({ measurementsMax: 2 })
  const parse = (text: string) => parser.parse(Buffer.from(text), { precision: 'ns', now: 0n })
  const first = parse('a f=1 1\nb f=1 1\nc f=1 1\na,t=1 f=2 2\nc,t=1 f=2 2\nb f=2 2')
  expect(first.batch.tables.map(({ measurement, rowCount }) => [measurement, rowCount])).toEqual([
    ['a', 2],
    ['b', 2],
  ])
  expect(first.errors.map(({ line, reason }) => [line, reason])).toEqual([
    [3, 'a write may have at most 2 measurements (--write-measurements-max)'],
    [5, 'a write may have at most 2 measurements (--write-measurements-max)'],
  ])
  parser.release(first.batch)
  // Those of other requests do not count, and what was learnt of them is no way round.
  const second = parse('c f=1 1\na f=1 1\nb f=1 1\nc f=3 3')
  expect(second.batch.pointCount).toBe(3)
  expect(second.errors.map(({ line }) => line)).toEqual([3])
})
