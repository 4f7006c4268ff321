// The part of the store contract about the schema: names, fields and series in pages, the schema of a measurement and
// its version, and how far points reach.

import { expect, test } from 'vitest'
import { compareByTags, seriesKey } from '../../src/column/series.js'
import { allTime } from '../../src/column/time.js'
import { collectPages, schemaPageEntries } from '../../src/store/schema-pages.js'
import { type Bench, bucket } from './contract-bench.js'
import { parseTagPredicate } from './predicate-text.js'

export function testSchema(bench: () => Bench): void {
  test('measurements, tags, fields, series and their number', async () => {
    await bench().write('cpu,host=a,rack=1 v=1,n=1i 1\ncpu,host=b v=1 1\nmem s="x" 1')
    const { store } = bench()
    const names = (request: object) =>
      collectPages(store.names({ bucket, kind: 'measurements', ...request }))
    expect(await names({})).toEqual(['cpu', 'mem'])
    expect(await names({ kind: 'tag-keys' })).toEqual(['host', 'rack'])
    const predicate = parseTagPredicate("rack = ''")
    expect(await names({ kind: 'tag-values', tag: 'host', predicate })).toEqual(['b'])
    expect(await collectPages(store.fields({ bucket, measurement: 'cpu' }))).toEqual([
      { measurement: 'cpu', name: 'n', type: 'integer' },
      { measurement: 'cpu', name: 'v', type: 'float' },
    ])
    const series = await collectPages(store.series({ bucket, measurement: 'cpu' }))
    expect(series.map(seriesKey)).toEqual(['cpu,host=a,rack=1', 'cpu,host=b'])
    expect(await store.cardinality({ bucket })).toBe(3)
    expect(await store.cardinality({ bucket, predicate })).toBe(2)
  })
}

export function testBeginningAnew(bench: () => Bench): void {
  test('a measurement that was deleted and is written anew has its new fields alone', async () => {
    await bench().write('m,t=a x=1,y="s",z=true 1\nother x=1 1')
    const { store } = bench()
    await store.delete({ bucket, range: allTime, measurement: 'm' })
    await bench().write('m,t=a z=2i 1')
    await bench().write('m,t=a w=3 2')
    const expected = [
      { measurement: 'm', name: 'w', type: 'float' },
      { measurement: 'm', name: 'z', type: 'integer' },
    ]
    expect(await collectPages(store.fields({ bucket, measurement: 'm' }))).toEqual(expected)
    expect((await store.measurementSchema(bucket, 'm')).fields).toEqual(expected)
    bench().store = await bench().opened.reopen()
    expect((await bench().store.measurementSchema(bucket, 'm')).fields).toEqual(expected)
    expect(await bench().read({})).toEqual(['m,t=a 1 z=2i', 'm,t=a 2 w=3'])
  })
}

export function testSchemaPages(bench: () => Bench): void {
  test('long answers come in pages, in one order', async () => {
    const count = 2 * schemaPageEntries + 7
    const lines = Array.from({ length: count }, (_, i) => `m,h=${i} v=1 ${i}`)
    await bench().write(lines.join('\n'))
    const { store } = bench()
    const pages: (readonly string[])[] = []
    for await (const page of store.names({ bucket, kind: 'tag-values', tag: 'h' })) pages.push(page)
    expect(pages.length).toBeGreaterThan(1)
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(schemaPageEntries)
    expect(pages.flat()).toEqual(Array.from({ length: count }, (_, i) => `${i}`).sort())
    let previous = ''
    let seriesCount = 0
    for await (const page of store.series({ bucket })) {
      expect(page.length).toBeLessThanOrEqual(schemaPageEntries)
      for (const key of page.map(seriesKey)) {
        if (key <= previous) expect.fail(`${key} comes after ${previous}`)
        previous = key
        seriesCount++
      }
    }
    expect(seriesCount).toBe(count)
    const tooMany = collectPages(store.series({ bucket }), count - 1)
    await expect(tooMany).rejects.toMatchObject({ name: 'UserError' })
  })
}

export function testSeriesOrder(bench: () => Bench): void {
  test('series come by measurement and then tag by tag, however their keys are spelt', async () => {
    const keys = [
      'm',
      'm,a=1',
      'm,a=1,b=2',
      'm,a=1\\ 2',
      'm,a=1!',
      'm,a=1!,b=1',
      'm,a=1-2',
      'm,a=1\\=2',
      'm,a=1Z',
      'm,a=1\\x',
      'm,a=é',
      'm,a=\u{1f600}',
      'm,a\\ b=1',
      'm,a1=1',
      'm!,a=1',
      'm\\,x',
      'm\\,x,a=1',
      'm=,a=1',
      'mm',
    ]
    // Twelve and fewer are put in order in another way than many.
    const many = Array.from({ length: 40 }, (_, i) => `n,h=${i}!,k=${i % 3}`)
    const lines = [...keys, ...many].reverse().map((key) => `${key} v=1 1`)
    await bench().write(lines.join('\n'))
    const found = await collectPages(bench().store.series({ bucket }))
    const spelt = found.map(seriesKey)
    expect(spelt.slice(0, keys.length)).toEqual(keys)
    expect(found).toEqual([...found].sort(compareByTags))
    expect(spelt.length).toBe(keys.length + many.length)
  })
}

export function testSchemaVersion(bench: () => Bench): void {
  test('the schema of a measurement, and a version that tells when it has changed', async () => {
    const { store, write } = bench()
    const ask = async () => {
      const schema = await store.measurementSchema(bucket, 'm')
      const known = store.schemaVersion(bucket, 'm')
      if (known !== undefined) expect(known).toBe(schema.version)
      return schema
    }
    expect(await ask()).toMatchObject({ version: 0, fields: [], tagKeys: [] })
    await write('m,h=a v=1 1')
    const first = await ask()
    expect(first).toMatchObject({
      fields: [{ measurement: 'm', name: 'v', type: 'float' }],
      tagKeys: ['h'],
    })
    expect(first.version).not.toBe(0)
    await write('m,h=b v=2 2\nother,x=1 y=2 1')
    expect((await ask()).version).toBe(first.version)
    const versions = new Set([0, first.version])
    const expectChange = async () => {
      const { version } = await ask()
      expect(versions).not.toContain(version)
      versions.add(version)
    }
    await write('m,h=a w=1i 3')
    await expectChange()
    await write('m,h=a,rack=1 v=1 3')
    await expectChange()
    await store.delete({ bucket, range: allTime })
    await write('m,h=a v=1i 1')
    await expectChange()
    await store.dropBucket(bucket)
    expect((await ask()).version).toBe(0)
    await write('m,h=a v=1 1')
    await expectChange()
  })
}

export function testExtent(bench: () => Bench): void {
  test('an extent holds all points that are asked for, and counts no fewer', async () => {
    await bench().write('m,h=a v=1 -5\nm,h=a v=2 40\nm,h=b v=3 100\nn v=4 9000')
    const ask = (request: object) => bench().store.extent({ bucket, ...request })
    const all = await ask({ measurement: 'm' })
    expect(all.range!.start).toBeLessThanOrEqual(-5n)
    expect(all.range!.stop).toBeGreaterThan(100n)
    expect(all.rowCountMax).toBeGreaterThanOrEqual(3)
    const cut = await ask({ measurement: 'm', range: { start: 0n, stop: 50n } })
    expect(cut.range!.start).toBeGreaterThanOrEqual(0n)
    expect(cut.range!.start).toBeLessThanOrEqual(40n)
    expect(cut.range!.stop).toBeGreaterThan(40n)
    expect(cut.range!.stop).toBeLessThanOrEqual(50n)
    const chosen = await ask({ measurement: 'm', predicate: parseTagPredicate("h = 'b'") })
    expect(chosen.range!.start).toBeLessThanOrEqual(100n)
    expect(chosen.range!.stop).toBeGreaterThan(100n)
    for (const request of [
      { measurement: 'nothing' },
      { measurement: 'm', predicate: parseTagPredicate("h = 'z'") },
      { measurement: 'm', range: { start: 5000n, stop: 6000n } },
    ]) {
      // Engines without files tell no bytes.
      const { storedBytes = 0, isWhole: _, ...found } = await ask(request)
      expect([found, storedBytes]).toEqual([{ range: undefined, rowCountMax: 0 }, 0])
    }
    expect((await ask({})).range!.stop).toBeGreaterThan(9000n)
  })

  test('an extent is whole only where no row of what is asked for lies outside', async () => {
    const day = 86_400_000_000_000
    await bench().write(`m,h=a v=1 10\nm,h=a v=2 40\nm,h=b v=3 ${30 * day}\nn v=4 9000`)
    const isWhole = async (request: object) =>
      (await bench().store.extent({ bucket, measurement: 'm', ...request })).isWhole
    const stop = BigInt(30 * day) + 1n
    // An engine may not know it, but must not say it of other ranges.
    expect([true, undefined]).toContain(await isWhole({}))
    expect([true, undefined]).toContain(await isWhole({ range: { start: 10n, stop } }))
    expect(await isWhole({ range: { start: 11n, stop } })).not.toBe(true)
    expect(await isWhole({ range: { start: 10n, stop: stop - 1n } })).not.toBe(true)
    expect(await isWhole({ range: { start: 0n, stop: 50n } })).not.toBe(true)
  })

  test('an empty bucket has nothing', async () => {
    const { store } = bench()
    expect(await collectPages(store.names({ bucket, kind: 'measurements' }))).toEqual([])
    expect(await collectPages(store.series({ bucket }))).toEqual([])
    expect(await store.cardinality({ bucket })).toBe(0)
    expect(await store.shards(bucket)).toEqual([])
  })
}

export function testEstimate(bench: () => Bench): void {
  test('an estimate follows what is asked for', async () => {
    const points = ['h=a v=1,w=2i 1', 'h=a v=2,w=3i 2', 'h=b v=3 3', 'h=b v=4 1000']
    await bench().write(points.map((point) => `m,${point}`).join('\n'))
    const ask = async (request: object) => {
      const asked = { bucket, measurement: 'm', range: allTime, ...request }
      const { valueCount, storedBytes = 0 } = await bench().store.estimate(asked)
      expect(Number.isSafeInteger(storedBytes) && storedBytes >= 0).toBe(true)
      return valueCount
    }
    // An engine may count a row in each place that it lies in.
    const expectAbout = async (values: number, request: object) => {
      const found = await ask(request)
      expect(found).toBeGreaterThanOrEqual(values)
      expect(found).toBeLessThanOrEqual(values * 2)
    }
    await expectAbout(6, {})
    await expectAbout(4, { fields: ['v'] })
    await expectAbout(2, { fields: ['v'], predicate: parseTagPredicate("h = 'b'") })
    const tooLarge = { kind: 'field', field: 'w', op: '>', value: 9n }
    await expectAbout(8, { fields: ['v'], predicate: tooLarge })
    await expectAbout(4, { fields: [], everyRow: true })
    const sum = { aggregates: [{ function: 'sum', field: 'w' }], groupBy: [] }
    await expectAbout(4, { window: { ...sum, everyNs: 1n } })
    for (const nothing of [
      { measurement: 'nothing' },
      { predicate: parseTagPredicate("h = 'z'") },
      { range: { start: 5000n, stop: 6000n } },
      { range: { start: 5n, stop: 5n } },
    ]) {
      expect(await ask(nothing)).toBe(0)
    }
  })
}
