// What is true of every store, whatever lies below it: the promises of store.ts as tests. A new
// implementation is done when `runStoreContract` passes for it. Nothing here knows files, flushes
// or encodings.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { allTime, nsPerHour } from '../../src/column/time.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { collectPages } from '../../src/store/schema-pages.js'
import {
  type Bench,
  bucket,
  every,
  never,
  type OpenStore,
  openBench,
  other,
} from './contract-bench.js'
import { testChanges } from './contract-changes.js'
import {
  testGroupSums,
  testGroups,
  testLongWindows,
  testOverflow,
  testRowCounts,
} from './contract-groups.js'
import {
  testBeginningAnew,
  testEstimate,
  testExtent,
  testSchema,
  testSchemaPages,
  testSchemaVersion,
  testSeriesOrder,
} from './contract-schema.js'
import { parsePredicate, parseTagPredicate } from './predicate-text.js'
import { printRow, readRows } from './read-rows.js'

/** `open` makes an empty store. */
export function runStoreContract(name: string, open: OpenStore): void {
  describe(`store contract: ${name}`, () => {
    let bench: Bench
    beforeEach(async () => {
      bench = await openBench(open)
    })
    afterEach(async () => {
      await bench.store.close()
      await bench.opened.cleanUp()
    })
    testWrites(() => bench)
    testAtomicWrites(() => bench)
    testReads(() => bench)
    testComparisons(() => bench)
    testEveryRow(() => bench)
    testWindows(() => bench)
    testGroups(() => bench)
    testRowCounts(() => bench)
    testGroupSums(() => bench)
    testLongWindows(() => bench)
    testOverflow(() => bench)
    testPrepared(() => bench)
    testSchema(() => bench)
    testSchemaPages(() => bench)
    testSeriesOrder(() => bench)
    testSchemaVersion(() => bench)
    testBeginningAnew(() => bench)
    testExtent(() => bench)
    testEstimate(() => bench)
    testSignals(() => bench)
    testDeletes(() => bench)
    testChanges(() => bench)
    testLife(() => bench)
  })
}

function testAtomicWrites(bench: () => Bench): void {
  test('of an atomic batch with a refused point nothing is kept, and no trace', async () => {
    await bench().write('m v=1 1')
    const atomic = (lines: string) => {
      const parsed = new LineProtocolParser().parse(Buffer.from(lines), {
        precision: 'ns',
        now: 0n,
      })
      return bench().store.write(bucket, parsed.batch, undefined, true)
    }
    const refused = await atomic('other,t=new f=1 2\nm,t=new v=2,w=1 2\nm v=3i 3\nm v=4 4')
    expect(refused).toMatchObject({ writtenCount: 0, rejectedCount: 1, rejected: [{ line: 3 }] })
    expect(await bench().read({})).toEqual(['m 1 v=1'])
    expect(await bench().store.cardinality({ bucket })).toBe(1)
    const { fields, tagKeys } = await bench().store.measurementSchema(bucket, 'm')
    expect([fields.map(({ name }) => name), tagKeys]).toEqual([['v'], []])
    expect(await atomic('m v=2 2\nm,t=a v=3 3')).toMatchObject({ writtenCount: 2, rejected: [] })
    expect(await bench().read({})).toHaveLength(3)
  })
}

function testWrites(bench: () => Bench): void {
  test('what is written is read, in the type it was written with', async () => {
    const line = 'm,t=x b=true,f=-0.5,i=-9223372036854775808i,s="é",u=18446744073709551615u 5'
    expect(await bench().write(line)).toEqual({ writtenCount: 1, rejectedCount: 0, rejected: [] })
    expect(await bench().read({})).toEqual([
      'm,t=x 5 b=true,f=-0.5,i=-9223372036854775808i,s="é",u=18446744073709551615u',
    ])
  })

  test('points that meet are merged field by field, the later value wins', async () => {
    await bench().write('m a=1,b=1 5\nm a=2 5')
    await bench().write('m c=3 5')
    await bench().write('m b=4 5')
    expect(await bench().read({})).toEqual(['m 5 a=2,b=4,c=3'])
  })

  test('a refused point is a value in the result, and the others are kept', async () => {
    await bench().write('m v=1 1')
    const result = await bench().write('m v=2 2\nm v=3i 3\nm v=4 4')
    expect(result).toEqual({
      writtenCount: 2,
      rejectedCount: 1,
      rejected: [
        {
          line: 2,
          reason:
            'field type conflict: input field "v" on measurement "m" is type integer, ' +
            'already exists as type float',
        },
      ],
    })
    expect(await bench().read({})).toEqual(['m 1 v=1', 'm 2 v=2', 'm 4 v=4'])
  })

  test('writes at the same time are all kept', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `m,h=${i % 4} v=${i}i ${i}`)
    const parsers = lines.map(() => new LineProtocolParser())
    await Promise.all(
      lines.map((line, i) => {
        const parsed = parsers[i].parse(Buffer.from(line), { precision: 'ns', now: 0n })
        return bench().store.write(bucket, parsed.batch)
      }),
    )
    expect(await bench().read({})).toHaveLength(40)
  })

  test('an empty batch is written', async () => {
    const result = await bench().store.write(bucket, { tables: [], pointCount: 0 })
    expect(result).toEqual({ writtenCount: 0, rejectedCount: 0, rejected: [] })
  })

  test('a batch belongs to its writer again afterwards', async () => {
    const parser = new LineProtocolParser()
    const options = { precision: 'ns', now: 0n } as const
    const first = parser.parse(Buffer.from('m s="before",v=1 1'), options)
    await bench().store.write(bucket, first.batch)
    parser.release(first.batch)
    // The parser uses the same arrays again.
    const second = parser.parse(Buffer.from('m s="behind",v=2 2'), options)
    expect(await bench().read({})).toEqual(['m 1 s="before",v=1'])
    await bench().store.write(bucket, second.batch)
    expect(await bench().read({})).toEqual(['m 1 s="before",v=1', 'm 2 s="behind",v=2'])
  })
}

function testComparisons(bench: () => Bench): void {
  test('the least numbers there are can be compared with', async () => {
    await bench().write(
      'm f=5e-324 1\nm f=-5e-324 2\nm f=1e-310,i=0i 3\nm f=0 4\nm f=3e-308,i=1i 5',
    )
    const compared = (field: string, op: '<' | '>=' | '=', value: number) =>
      bench().read({ fields: ['f'], predicate: { kind: 'field', field, op, value } })
    const all = await bench().read({ fields: ['f'] })
    expect(await compared('f', '>=', 5e-324)).toEqual([all[0], all[2], all[4]])
    expect(await compared('f', '=', 5e-324)).toEqual([all[0]])
    expect(await compared('f', '<', -5e-324)).toEqual([])
    expect(await compared('f', '<', 1e-310)).toEqual([all[0], all[1], all[3]])
    expect(await compared('f', '=', 1e-310)).toEqual([all[2]])
    expect(await compared('i', '<', 5e-324)).toEqual([all[2]])
  })
}

function testReads(bench: () => Bench): void {
  test('series come in key order, points in the order of time', async () => {
    await bench().write('m,h=b v=1 2\nm,h=a v=2 9\nm v=3 1\nm,h=a v=4 3')
    expect(await bench().read({})).toEqual(['m 1 v=3', 'm,h=a 3 v=4', 'm,h=a 9 v=2', 'm,h=b 2 v=1'])
    expect(await bench().read({ descending: true, limitPerSeries: 1 })).toEqual([
      'm 1 v=3',
      'm,h=a 9 v=2',
      'm,h=b 2 v=1',
    ])
  })

  test('range, fields and predicate choose', async () => {
    await bench().write('m,h=a v=1,w=10 1\nm,h=a v=2 2\nm,h=b v=3,w=30 2\nm,h=b w=40 3')
    expect(await bench().read({ range: { start: 2n, stop: 3n } })).toEqual([
      'm,h=a 2 v=2',
      'm,h=b 2 v=3,w=30',
    ])
    expect(await bench().read({ fields: ['w', 'nope'] })).toEqual([
      'm,h=a 1 w=10',
      'm,h=b 2 w=30',
      'm,h=b 3 w=40',
    ])
    const predicate = parsePredicate("h = 'b' or $w = 10")
    expect(await bench().read({ predicate, fields: ['v'] })).toEqual(['m,h=a 1 v=1', 'm,h=b 2 v=3'])
  })

  test('an absent tag reads as the empty string', async () => {
    await bench().write('m,h=a v=1 1\nm v=2 1')
    expect(await bench().read({ predicate: parsePredicate("h = ''") })).toEqual(['m 1 v=2'])
    expect(await bench().read({ predicate: parsePredicate("h != ''") })).toEqual(['m,h=a 1 v=1'])
    expect(await bench().read({ predicate: parsePredicate("x = '' and h =~ /a/") })).toEqual([
      'm,h=a 1 v=1',
    ])
  })

  test('what does not exist has no rows', async () => {
    await bench().write('m v=1 1')
    expect(await bench().read({ bucket: other })).toEqual([])
    expect(await bench().read({ measurement: 'nope' })).toEqual([])
    expect(await bench().read({ fields: ['nope'] })).toEqual([])
    expect(await bench().read({ range: { start: 1n, stop: 1n } })).toEqual([])
  })

  test('several measurements come one after the other, as they are asked for', async () => {
    await bench().write('b v=1 1\na,h=x v=2 1\na v=3 2')
    const of = (measurement: string) => ({ bucket, measurement, range: allTime })
    const found: string[] = []
    const requests = [of('b'), of('nope'), of('a')]
    for await (const { measurement, rowCount } of bench().store.readSeveral(requests, never)) {
      if (found.at(-1) !== measurement) found.push(measurement)
      expect(rowCount).toBeGreaterThan(0)
    }
    expect(found).toEqual(['b', 'a'])
  })

  test('an aborted read throws the reason', async () => {
    await bench().write('m v=1 1')
    const controller = new AbortController()
    controller.abort(new Error('enough'))
    const request = { bucket, measurement: 'm', range: allTime }
    const read = bench().store.read(request, controller.signal)[Symbol.asyncIterator]()
    await expect(read.next()).rejects.toThrow('enough')
  })

  test('a pattern that is none is refused', async () => {
    await bench().write('m,h=a v=1 1')
    const predicate = parsePredicate('h =~ /(/')
    await expect(bench().read({ predicate })).rejects.toMatchObject({ name: 'UserError' })
  })
}

function testEveryRow(bench: () => Bench): void {
  test('rows without the fields asked for are left out, or not', async () => {
    await bench().write('m,h=a v=1,w=10 1\nm,h=a v=2 2\nm,h=b x="t" 1\nm,h=b w=40 3')
    const fields = ['w']
    expect(await bench().read({ fields })).toEqual(['m,h=a 1 w=10', 'm,h=b 3 w=40'])
    const every = ['m,h=a 1 w=10', 'm,h=a 2 ', 'm,h=b 1 ', 'm,h=b 3 w=40']
    expect(await bench().read({ fields, everyRow: true })).toEqual(every)
    const times = ['m,h=a 1 ', 'm,h=a 2 ', 'm,h=b 1 ', 'm,h=b 3 ']
    expect(await bench().read({ fields: [], everyRow: true })).toEqual(times)
    expect(await bench().read({ fields: ['nope'], everyRow: true })).toEqual(times)
    const newest = { descending: true, limitPerSeries: 1 }
    expect(await bench().read({ fields, everyRow: true, ...newest })).toEqual([
      'm,h=a 2 ',
      'm,h=b 3 w=40',
    ])
    const predicate = parsePredicate("$v > 0 or $x = 't'")
    expect(await bench().read({ fields, everyRow: true, predicate })).toEqual([
      'm,h=a 1 w=10',
      'm,h=a 2 ',
      'm,h=b 1 ',
    ])
    const range = { start: 2n, stop: 3n }
    expect(await bench().read({ fields: [], everyRow: true, range })).toEqual(['m,h=a 2 '])
  })
}

function testWindows(bench: () => Bench): void {
  test('a row per series and window that holds a value', async () => {
    await bench().write('m,h=a v=1i 1\nm,h=a v=5i 9\nm,h=a v=2i 30\nm,h=b v=7i 5\nm,h=b w=1 15')
    const all = 'count(v), sum(v), min(v), max(v), mean(v), first(v), last(v)'
    expect(await bench().read(every(all))).toEqual([
      'm,h=a 0 count(v)=2i,sum(v)=6i,min(v)=1i,max(v)=5i,mean(v)=3,first(v)=1i,last(v)=5i',
      'm,h=a 30 count(v)=1i,sum(v)=2i,min(v)=2i,max(v)=2i,mean(v)=2,first(v)=2i,last(v)=2i',
      'm,h=b 0 count(v)=1i,sum(v)=7i,min(v)=7i,max(v)=7i,mean(v)=7,first(v)=7i,last(v)=7i',
    ])
  })

  test('windows start at the offset, are cut to the range, and tell where points lay', async () => {
    await bench().write('m v=1 1\nm v=3 8\nm v=3 12\nm v=2 16')
    const range = { start: 6n, stop: 16n }
    expect(await bench().read({ range, ...every('max(v)', { offsetNs: 5n }) })).toEqual([
      'm 6 max(v)=3',
    ])
    expect(await bench().read(every('max(v), count(v)', { pointTimes: true }))).toEqual([
      'm 0 max(v)=3@8,count(v)=2i',
      'm 10 max(v)=3@12,count(v)=2i',
    ])
    const whole = { window: { aggregates: [{ field: 'v', function: 'sum' as const }] } }
    expect(await bench().read({ range, ...whole })).toEqual(['m 6 sum(v)=6'])
  })

  test('order and limit count windows', async () => {
    await bench().write('m v=1 1\nm v=2 11\nm v=3 21')
    const request = { ...every('last(v)'), descending: true, limitPerSeries: 2 }
    expect(await bench().read(request)).toEqual(['m 20 last(v)=3', 'm 10 last(v)=2'])
  })

  test('sums of integers are exact', async () => {
    await bench().write('m v=9007199254740993i 1\nm v=2i 2')
    expect(await bench().read(every('sum(v)'))).toEqual(['m 0 sum(v)=9007199254740995i'])
  })

  test('a mean of texts is refused', async () => {
    await bench().write('m v="x" 1')
    await expect(bench().read(every('mean(v)'))).rejects.toMatchObject({ name: 'UserError' })
  })
}

function testPrepared(bench: () => Bench): void {
  const request = { bucket, measurement: 'm', predicate: parsePredicate("h = 'a'") }

  test('a prepared read gives what a read gives, in any range', async () => {
    const prepared = bench().store.prepare(request)
    const expectSame = async (start: bigint, stop: bigint, rows: string[]) => {
      const range = { start, stop }
      expect(await bench().read({ ...request, range })).toEqual(rows)
      const read = { ...request, range }
      expect(
        (await readRows({ read: () => prepared.read(range, never) }, read)).map(printRow),
      ).toEqual(rows)
    }
    await expectSame(0n, 10n, [])
    await bench().write('m,h=a v=1 1\nm,h=b v=2 1\nm,h=a v=3 5')
    for (let again = 0; again < 2; again++) {
      await expectSame(0n, 10n, ['m,h=a 1 v=1', 'm,h=a 5 v=3'])
      await expectSame(2n, 10n, ['m,h=a 5 v=3'])
      await expectSame(5n, 5n, [])
    }
    // New rows, a new field, a new series that matches.
    await bench().write('m,h=a v=4 6\nm,h=a w=7i 7\nm,h=a,r=1 v=8 8')
    await expectSame(5n, 10n, ['m,h=a 5 v=3', 'm,h=a 6 v=4', 'm,h=a 7 w=7i', 'm,h=a,r=1 8 v=8'])
    await bench().store.delete({ bucket, range: { start: 6n, stop: 7n } })
    await expectSame(5n, 8n, ['m,h=a 5 v=3', 'm,h=a 7 w=7i'])
    await bench().store.dropBucket(bucket)
    await expectSame(0n, 10n, [])
    await bench().write('m,h=a v="x" 1')
    await expectSame(0n, 10n, ['m,h=a 1 v="x"'])
  })
}

function testSignals(bench: () => Bench): void {
  test('nothing is done for a signal that is aborted', async () => {
    await bench().write('m,h=a v=1 1')
    const { store } = bench()
    const signal = AbortSignal.abort(new Error('enough'))
    const calls: (() => Promise<unknown>)[] = [
      () => collectPages(store.names({ bucket, kind: 'measurements' }, signal)),
      () => collectPages(store.fields({ bucket }, signal)),
      () => collectPages(store.series({ bucket }, signal)),
      () => store.cardinality({ bucket }, signal),
      () => store.extent({ bucket }, signal),
      () => store.estimate({ bucket, measurement: 'm', range: allTime }, signal),
      () => store.shards(bucket, signal),
      () => store.write(bucket, { tables: [], pointCount: 0 }, signal),
      () => store.delete({ bucket, range: allTime }, signal),
      () => store.dropBucket(bucket, signal),
    ]
    for (const call of calls) await expect(call()).rejects.toThrow('enough')
    expect(await bench().read({})).toEqual(['m,h=a 1 v=1'])
  })
}

function testDeletes(bench: () => Bench): void {
  test('a delete takes what it names, and what is written later stays', async () => {
    await bench().write('m,h=a v=1 1\nm,h=a v=2 2\nm,h=b v=3 1\nn v=4 1')
    await bench().store.delete({
      bucket,
      range: { start: 1n, stop: 2n },
      measurement: 'm',
      predicate: parseTagPredicate("h = 'a'"),
    })
    expect(await bench().read({})).toEqual(['m,h=a 2 v=2', 'm,h=b 1 v=3'])
    await bench().write('m,h=a v=9 1')
    expect(await bench().read({})).toEqual(['m,h=a 1 v=9', 'm,h=a 2 v=2', 'm,h=b 1 v=3'])
    expect(await bench().read({ measurement: 'n' })).toEqual(['n 1 v=4'])
  })

  test('a dropped bucket is empty, forgets its types, and leaves others alone', async () => {
    await bench().write('m v=1 1')
    await bench().write('m v=2 1', other)
    await bench().store.dropBucket(bucket)
    expect(await bench().read({})).toEqual([])
    expect(await bench().read({ bucket: other })).toEqual(['m 1 v=2'])
    await bench().write('m v=3i 1')
    expect(await bench().read({})).toEqual(['m 1 v=3i'])
  })

  test('deleting from a bucket that does not exist is no error', async () => {
    await bench().store.delete({ bucket: other, range: allTime })
    await bench().store.dropBucket(other)
    expect(await bench().read({ bucket: other })).toEqual([])
  })
}

function testLife(bench: () => Bench): void {
  test('retention refuses old points and hides those that grow old', async () => {
    await bench().store.setBucket(bucket, { retentionNs: 2n * nsPerHour })
    bench().clock.set(10n * nsPerHour)
    const result = await bench().write(`m v=1 ${7n * nsPerHour}\nm v=2 ${9n * nsPerHour}`)
    expect(result.rejected).toEqual([{ line: 1, reason: 'points beyond retention policy' }])
    expect(await bench().read({})).toEqual([`m ${9n * nsPerHour} v=2`])
    bench().clock.set(11n * nsPerHour + 1n)
    expect(await bench().read({})).toEqual([])
  })

  test('a store that is opened again has what it had', async () => {
    await bench().write('m,h=a v=1 1\nm,h=b s="x" 2')
    await bench().write('m v=5 1', other)
    await bench().store.delete({ bucket: other, range: allTime })
    bench().store = await bench().opened.reopen()
    expect(await bench().read({})).toEqual(['m,h=a 1 v=1', 'm,h=b 2 s="x"'])
    expect(await bench().read({ bucket: other })).toEqual([])
    const result = await bench().write('m v=1i 3')
    expect(result.rejectedCount).toBe(1)
  })

  test('a closed store refuses, and closes once', async () => {
    await bench().write('m v=1 1')
    await bench().store.close()
    await bench().store.close()
    await expect(bench().write('m v=2 2')).rejects.toThrow('closed')
    await expect(bench().read({})).rejects.toThrow('closed')
  })

  test('figures have names, and count what was written', async () => {
    await bench().write('m v=1 1\nm v=2 2')
    const metrics = await bench().store.metrics()
    for (const { name, help, value } of metrics) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
      expect(help).not.toBe('')
      expect(Number.isFinite(value)).toBe(true)
    }
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length)
    const written = metrics.find(({ name }) => name === 'store_points_written_total')
    expect(written).toMatchObject({ type: 'counter', value: 2 })
  })

  test('arrays of a batch are valid until the next is asked for', async () => {
    const lines = Array.from({ length: 9000 }, (_, i) => `m,h=${i % 3} v=${i}i,s="t${i % 9}" ${i}`)
    await bench().write(lines.join('\n'))
    let rows = 0
    const request = { bucket, measurement: 'm', range: allTime }
    for await (const batch of bench().store.read(request, never)) {
      const before = JSON.stringify([...batch.times.offsets.subarray(0, batch.rowCount)])
      await new Promise((resolve) => setTimeout(resolve))
      expect(JSON.stringify([...batch.times.offsets.subarray(0, batch.rowCount)])).toBe(before)
      rows += batch.rowCount
    }
    expect(rows).toBe(9000)
  })
}
