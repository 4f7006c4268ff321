// The index of a bucket: numbers that never change, postings that are made late and made anew as
// series come in, and the order of keys. Held against plain maps and a comparator.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TagPredicate } from '../../../column/predicate.js'
import { atOnce } from '../../../platform/turns.js'
import { compareKeys, compareSeries, sortByKey } from './key-order.js'
import { ParsedSeries } from './parsed-series.js'
import { SeriesIndex } from './series-index.js'
import { matchSeries } from './series-match.js'
import { TagColumn } from './tag-column.js'

function indexOf(keys: Iterable<string>): SeriesIndex {
  const index = new SeriesIndex({ shared: false, parsed: new ParsedSeries() })
  for (const key of keys) index.intern(Buffer.from(key))
  return index
}

describe('numbers', () => {
  test('are given in order and found again', () => {
    const keys = ['cpu,host=a', 'cpu,host=b', 'mem', 'my\\ m,a\\=b=c\\,d']
    const index = indexOf(keys)
    expect(keys.map((key) => index.find(Buffer.from(key)))).toEqual([0, 1, 2, 3])
    expect(keys.map((key) => index.intern(Buffer.from(key)))).toEqual([0, 1, 2, 3])
    expect(index.find(Buffer.from('cpu,host=c'))).toBe(-1)
    expect(index.series(3)).toEqual({ measurement: 'my m', tags: [{ key: 'a=b', value: 'c,d' }] })
    expect(index.measurements.map(({ name }) => name)).toEqual(['cpu', 'mem', 'my m'])
    expect(index.series(1).measurement).toBe('cpu')
    expect(index.measurement('cpu')!.seriesIds[1]).toBe(1)
    expect(index.measurement('mem')!.seriesIds[0]).toBe(2)
  })

  test('fields are numbered within their measurement', () => {
    const index = indexOf(['cpu', 'mem'])
    expect(
      index.addField({ measurementId: 0, name: 'x', type: 'float', beginsAnew: false }).id,
    ).toBe(0)
    expect(
      index.addField({ measurementId: 1, name: 'x', type: 'string', beginsAnew: false }).id,
    ).toBe(0)
    expect(
      index.addField({ measurementId: 0, name: 'y', type: 'boolean', beginsAnew: false }).id,
    ).toBe(1)
    expect(index.measurement('cpu')?.fieldsByName.get('y')?.type).toBe('boolean')
    expect(index.fieldLog.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'x float',
      'x string',
      'y boolean',
    ])
  })
})

describe('a tag', () => {
  test('finds its series before, while and after postings are made', () => {
    const column = new TagColumn('host')
    const codes: string[] = []
    const check = () => {
      for (const value of ['h0', 'h3', 'h6', 'rare']) {
        const expected = codes.flatMap((code, position) => (code === value ? [position] : []))
        const code = column.codeOf(value)
        const found = code === 0 ? [] : [...column.positionsOf(code)]
        expect(found).toEqual(expected)
      }
    }
    for (let position = 0; position < 9000; position++) {
      // Every tenth series lacks the tag; a value turns up when postings exist already.
      const value = position === 7777 ? 'rare' : `h${position % 7}`
      if (position % 10 === 9) codes.push('')
      else {
        const bytes = Buffer.from(value)
        column.set(position, bytes, 0, bytes.length)
        codes.push(value)
      }
      if ([0, 63, 64, 1023, 1030, 1500, 2600, 7776, 7778].includes(position)) check()
    }
    check()
    expect(column.codeAt(9)).toBe(0)
    expect(column.codeAt(10_000)).toBe(0)
    expect([...atOnce(column.positionsWhere(Uint8Array.of(1), 20))]).toEqual([9, 19])
  })

  test('is found among a hundred thousand series', () => {
    const count = 100_000
    const index = new SeriesIndex({ shared: false, parsed: new ParsedSeries() })
    for (let i = 0; i < count; i++) {
      index.intern(Buffer.from(`m,host=h${i % 1000},id=${i}${i % 2 === 0 ? ',even=yes' : ''}`))
    }
    const measurement = index.measurement('m')!
    const match = (predicate: TagPredicate) => matchSeries(measurement, predicate)
    const host: TagPredicate = { kind: 'tag', tag: 'host', op: '=', value: 'h17' }
    const odd: TagPredicate = { kind: 'tag', tag: 'even', op: '=', value: '' }
    expect([...match(host)]).toEqual(Array.from({ length: 100 }, (_, i) => i * 1000 + 17))
    expect(match({ kind: 'not', part: host }).length).toBe(count - 100)
    expect(match(odd).length).toBe(count / 2)
    expect(match({ kind: 'and', parts: [host, odd] }).length).toBe(100)
    expect(match({ kind: 'or', parts: [host, odd] }).length).toBe(count / 2)
    const pattern = {
      kind: 'tag-regex',
      tag: 'id',
      pattern: '^9999[0-9]$',
      negated: false,
    } as const
    expect([...match(pattern)]).toEqual(Array.from({ length: 10 }, (_, i) => 99_990 + i))
    expect(match({ kind: 'and', parts: [] }).length).toBe(count)
    expect(match({ kind: 'or', parts: [] }).length).toBe(0)
    expect(index.byteLength / count).toBeLessThan(200)
  })
})

describe('predicates over tags', () => {
  const count = 3000
  const tagsOf = (i: number) => ({ id: `${i}`, host: `h${i % 40}`, even: i % 2 === 0 ? 'yes' : '' })
  const index = new SeriesIndex({ shared: false, parsed: new ParsedSeries() })
  for (let i = 0; i < count; i++) {
    const { id, host, even } = tagsOf(i)
    index.intern(Buffer.from(`m${even === '' ? '' : `,even=${even}`},host=${host},id=${id}`))
  }
  const measurement = index.measurement('m')!

  const leaf: fc.Arbitrary<TagPredicate> = fc.oneof(
    fc.record({
      kind: fc.constant('tag' as const),
      tag: fc.constantFrom('id', 'host', 'even', 'none'),
      op: fc.constantFrom('=' as const, '!=' as const),
      value: fc.constantFrom('', 'yes', 'h3', 'h39', '7', '43', '2999', 'other'),
    }),
    fc.record({
      kind: fc.constant('tag-regex' as const),
      tag: fc.constantFrom('host', 'even', 'none'),
      pattern: fc.constantFrom('^h1', '^$', 'y', '9$'),
      negated: fc.boolean(),
    }),
  )
  const { predicate } = fc.letrec<{ predicate: TagPredicate }>((tie) => ({
    predicate: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.record({ kind: fc.constant('not' as const), part: tie('predicate') }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        parts: fc.array(tie('predicate'), { maxLength: 4 }),
      }),
    ),
  }))

  function holds(of: TagPredicate, tags: Readonly<Record<string, string>>): boolean {
    switch (of.kind) {
      case 'tag':
        return ((tags[of.tag] ?? '') === of.value) === (of.op === '=')
      case 'tag-regex':
        return new RegExp(of.pattern).test(tags[of.tag] ?? '') !== of.negated
      case 'not':
        return !holds(of.part, tags)
      case 'and':
        return of.parts.every((part) => holds(part, tags))
      case 'or':
        return of.parts.some((part) => holds(part, tags))
    }
  }

  test('choose the series for which they hold', () => {
    fc.assert(
      fc.property(predicate, (of) => {
        const expected = Array.from({ length: count }, (_, i) => i).filter((i) =>
          holds(of, tagsOf(i)),
        )
        expect([...matchSeries(measurement, of)]).toEqual(expected)
      }),
    )
  })
})

describe('key order', () => {
  const key = fc.oneof(
    fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', ',', 'é', '\u0000') }),
    fc.nat(3000).map((n) => `cpu,host=server-${n},region=eu-west-1`),
  )

  test('is that of a comparator over the bytes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 600 }), (keys) => {
        // The index is only a place for bytes here: any string may be a key.
        const named = keys.map((text) => `k${text}`)
        const index = indexOf(named.map((text) => text.replaceAll(',', ';')))
        const view = index.keyView()
        const ids = Uint32Array.from({ length: index.next }, (_, i) => index.next - 1 - i)
        sortByKey(ids, view)
        const bytes = (id: number) => Buffer.from(index.key(id))
        const expected = Array.from(ids).sort((a, b) => Buffer.compare(bytes(a), bytes(b)))
        expect([...ids]).toEqual(expected)
        for (let i = 1; i < ids.length; i++) {
          expect(compareSeries(view, ids[i - 1], ids[i])).toBeLessThan(0)
        }
      }),
    )
  })

  test('a key comes before its extensions', () => {
    const [a, b] = ['cpu', 'cpu,host=a'].map((text) => Buffer.from(text))
    expect(compareKeys(a, b)).toBeLessThan(0)
    expect(compareKeys(b, a)).toBeGreaterThan(0)
    expect(compareKeys(a, Buffer.from('cpu'))).toBe(0)
  })
})
