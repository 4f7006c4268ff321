// The part of the store contract about windows of groups: which rows there are, in which order, and what is chosen
// where several series have a point at the same time.

import { expect, test } from 'vitest'
import { allTime, nsPerHour } from '../../src/column/time.js'
import { type Bench, every } from './contract-bench.js'
import { parsePredicate } from './predicate-text.js'

export function testGroups(bench: () => Bench): void {
  const all = 'count(v), sum(v), min(v), max(v), mean(v), first(v), last(v)'

  test('a row per group and window, groups in the order of their values', async () => {
    await bench().write(
      'm,h=b,r=1 v=1i 1\nm,h=a,r=1 v=5i 9\nm,h=a,r=2 v=2i 3\nm,h=a,r=2 v=7i 25\nm v=9i 5',
    )
    expect(await bench().read(every(all, { groupBy: ['h'] }))).toEqual([
      'm 0 count(v)=1i,sum(v)=9i,min(v)=9i,max(v)=9i,mean(v)=9,first(v)=9i,last(v)=9i',
      'm,h=a 0 count(v)=2i,sum(v)=7i,min(v)=2i,max(v)=5i,mean(v)=3.5,first(v)=2i,last(v)=5i',
      'm,h=a 20 count(v)=1i,sum(v)=7i,min(v)=7i,max(v)=7i,mean(v)=7,first(v)=7i,last(v)=7i',
      'm,h=b 0 count(v)=1i,sum(v)=1i,min(v)=1i,max(v)=1i,mean(v)=1,first(v)=1i,last(v)=1i',
    ])
    expect(await bench().read(every('sum(v)', { groupBy: ['r', 'h'] }))).toEqual([
      'm 0 sum(v)=9i',
      'm,h=a,r=1 0 sum(v)=5i',
      'm,h=b,r=1 0 sum(v)=1i',
      'm,h=a,r=2 0 sum(v)=2i',
      'm,h=a,r=2 20 sum(v)=7i',
    ])
    const range = { start: 2n, stop: 30n }
    const whole = { everyNs: undefined, groupBy: [] }
    expect(await bench().read({ range, ...every('count(v), mean(nope)', whole) })).toEqual([
      'm 2 count(v)=4i',
    ])
    const newest = { descending: true, limitPerSeries: 1 }
    expect(await bench().read({ ...every('max(v)', { groupBy: ['h'] }), ...newest })).toEqual([
      'm 0 max(v)=9i',
      'm,h=a 20 max(v)=7i',
      'm,h=b 0 max(v)=1i',
    ])
    const predicate = parsePredicate("h = 'a' and $v > 2")
    expect(await bench().read({ ...every('count(v)', { groupBy: ['x'] }), predicate })).toEqual([
      'm 0 count(v)=1i',
      'm 20 count(v)=1i',
    ])
  })

  test('of points at one time the greatest value is first and last, and false before true', async () => {
    await bench().write(
      'm,h=a v=1,b=true,s="x" 2\nm,h=b v=3,b=false,s="z" 2\nm,h=c v=2,b=true,s="y" 2',
    )
    const names = 'first(v), last(v), first(b), last(b), first(s), last(s)'
    expect(await bench().read(every(names, { groupBy: [], pointTimes: true }))).toEqual([
      'm 0 first(v)=3@2,last(v)=3@2,first(b)=false@2,last(b)=true@2,first(s)="z"@2,last(s)="z"@2',
    ])
    await bench().write('m,h=a v=3 1\nm,h=a v=0 5')
    expect(await bench().read(every('min(v), max(v)', { groupBy: [], pointTimes: true }))).toEqual([
      'm 0 min(v)=0@5,max(v)=3@1',
    ])
  })
}

export function testLongWindows(bench: () => Bench): void {
  test('windows longer than a float64 counts nanoseconds', async () => {
    const everyNs = 34_560_000_000_000_001n
    const line = (h: string, time: bigint) => `m,h=${h} v=1 ${time}`
    const times = [-1n, 0n, everyNs - 1n, everyNs, 2n * everyNs - 1n]
    await bench().write(times.flatMap((time) => [line('a', time), line('b', time)]).join('\n'))
    const range = { start: -1n, stop: 3n * everyNs }
    const windows = [`-1 count(v)=2i`, `0 count(v)=4i`, `${everyNs} count(v)=4i`]
    const grouped = every('count(v)', { groupBy: [], everyNs })
    expect(await bench().read({ range, ...grouped })).toEqual(windows.map((row) => `m ${row}`))
    const alone = await bench().read({ range, ...every('count(v)', { everyNs }) })
    expect(alone.slice(0, 3)).toEqual([
      'm,h=a -1 count(v)=1i',
      'm,h=a 0 count(v)=2i',
      `m,h=a ${everyNs} count(v)=2i`,
    ])
  })

  const day = 24n * nsPerHour
  test.each([10n, 26n, 52n, 60n, 120n])('of %d days, more than a year of them', async (days) => {
    const [from, everyNs] = [3n * day + 1n, days * day]
    const moments = Array.from({ length: 410 }, (_, i) => BigInt(i) * day + 5n)
    // A group of two series, and one that has nothing for a long time.
    const has = (h: string, i: number) => h !== 'b' || i < 20 || i > 300
    const points = moments.flatMap((time, i) =>
      ['a,r=1', 'a,r=2', 'b']
        .filter((h) => has(h, i))
        .map((h) => ({ h: h[0], series: h, time, i })),
    )
    await bench().write(
      points.map(({ series, time, i }) => `m,h=${series} v=${i}i ${time}`).join('\n'),
    )
    const range = { start: from, stop: 405n * day }
    const sums = new Map<string, number>()
    for (const { h, time, i } of points) {
      if (time < range.start || time >= range.stop) continue
      const start = (time / everyNs) * everyNs
      const row = `m,h=${h} ${start < from ? from : start}`
      sums.set(row, (sums.get(row) ?? 0) + i)
    }
    const expected = [...sums].map(([row, sum]) => `${row} sum(v)=${sum}i`)
    const read = await bench().read({ range, ...every('sum(v)', { groupBy: ['h'], everyNs }) })
    expect(read.toSorted()).toEqual(expected.toSorted())
    const times = (rows: string[], h: string) =>
      rows.flatMap((row) => (row.startsWith(`m,h=${h} `) ? [BigInt(row.split(' ')[1])] : []))
    for (const h of ['a', 'b']) {
      expect(times(read, h)).toEqual(times(read, h).toSorted((x, y) => (x < y ? -1 : 1)))
    }
  })
}

export function testGroupSums(bench: () => Bench): void {
  test('sums of groups are exact, also beyond what a float64 tells, and wrap', async () => {
    await bench().write('m,h=a v=9007199254740991i 1\nm,h=b v=2i 1\nm,h=c v=4i 11')
    expect(await bench().read(every('sum(v), mean(v)', { groupBy: [] }))).toEqual([
      'm 0 sum(v)=9007199254740993i,mean(v)=4503599627370496',
      'm 10 sum(v)=4i,mean(v)=4',
    ])
    await bench().write('m,h=d v=9223372036854775807i 12')
    expect(await bench().read(every('sum(v)', { groupBy: ['x'] }))).toEqual([
      'm 0 sum(v)=9007199254740993i',
      'm 10 sum(v)=-9223372036854775805i',
    ])
  })

  test('windows far apart, and of a nanosecond', async () => {
    const far = 300n * 24n * 7n * nsPerHour
    await bench().write(`m,h=a v=1 1\nm,h=b v=2 1\nm,h=a v=3 ${far + 1n}\nm,h=b v=4 ${far + 2n}`)
    expect(await bench().read(every('sum(v)', { groupBy: [], everyNs: 1n }))).toEqual([
      'm 1 sum(v)=3',
      `m ${far + 1n} sum(v)=3`,
      `m ${far + 2n} sum(v)=4`,
    ])
  })

  test('a mean of texts is refused', async () => {
    await bench().write('m v="x" 1')
    const mean = every('mean(v)', { groupBy: [] })
    await expect(bench().read(mean)).rejects.toThrow('cannot compute mean of field "v"')
  })

  test('a group of one series has its own key, order and limit, and means', async () => {
    await bench().write('m,h=a,r=1 v=1i 1\nm,h=a,r=1 v=5i 9\nm,h=a,r=1 v=7i 25\nm,h=b v=2i 3')
    const predicate = parsePredicate("h = 'a'")
    const names = 'mean(v), count(nope), max(v)'
    const by = (groupBy: string[]) => every(names, { groupBy, pointTimes: true })
    expect(await bench().read({ ...by(['r', 'x']), predicate })).toEqual([
      'm,r=1 0 mean(v)=3,max(v)=5i@9',
      'm,r=1 20 mean(v)=7,max(v)=7i@25',
    ])
    const newest = { descending: true, limitPerSeries: 1 }
    expect(await bench().read({ ...by([]), ...newest, predicate })).toEqual([
      'm 20 mean(v)=7,max(v)=7i@25',
    ])
  })

  test('windows of groups with gaps, and more of them than one batch holds', async () => {
    const lines: string[] = []
    for (let t = 0; t < 3000; t++) {
      if (t % 7 !== 3) lines.push(`m,h=a,r=1 v=${t} ${t * 10}\nm,h=a,r=2 v=1 ${t * 10}`)
      if (t % 5 === 0) lines.push(`m,h=b w=${t}i ${t * 10 + 5}`)
      else lines.push(`m,h=c v=2,w=1i ${t * 10}`)
    }
    await bench().write(lines.join('\n'))
    const rows = await bench().read({
      range: { start: 5n, stop: 30_000n },
      ...every('sum(v), mean(v), count(w)', { groupBy: ['h'] }),
    })
    const of = (h: string) => rows.filter((row) => row.startsWith(`m,h=${h} `))
    expect([of('a').length, of('b').length, of('c').length]).toEqual([2571 - 1, 600, 2400])
    expect([of('a')[0], of('a')[3]]).toEqual([
      'm,h=a 10 sum(v)=2,mean(v)=1',
      'm,h=a 50 sum(v)=6,mean(v)=3',
    ])
    expect(of('b')[0]).toEqual('m,h=b 5 count(w)=1i')
    expect(of('c')[0]).toEqual('m,h=c 10 sum(v)=2,mean(v)=2,count(w)=1i')
  })
}

export function testOverflow(bench: () => Bench): void {
  test('sums beyond 64 bits wrap, or are refused', async () => {
    const most = 9223372036854775807n
    await bench().write(`m,h=a v=${most}i 1\nm,h=a v=1i 2\nm,h=b v=${most}i 3`)
    const sums = (window: object) => bench().read(every('sum(v)', window))
    expect(await sums({})).toEqual([`m,h=a 0 sum(v)=${-most - 1n}i`, `m,h=b 0 sum(v)=${most}i`])
    expect(await sums({ groupBy: [] })).toEqual(['m 0 sum(v)=-1i'])
    const refusing = { refusesOverflow: true }
    const refusal = (sum: bigint) => `Arithmetic overflow: ${sum} has more than 64 bits`
    await expect(sums(refusing)).rejects.toThrow(refusal(most + 1n))
    await expect(sums({ ...refusing, groupBy: [] })).rejects.toThrow('Arithmetic overflow')
    await bench().write('m,h=a v=0i 2')
    expect(await sums(refusing)).toHaveLength(2)
    await expect(sums({ ...refusing, groupBy: [] })).rejects.toThrow(refusal(2n * most))
  })
}

export function testRowCounts(bench: () => Bench): void {
  test('rows are counted whatever fields they have', async () => {
    await bench().write('m,h=a v=1i 1\nm,h=a s="x" 2\nm,h=a v=2i,s="y" 12\nm,h=b b=true 3')
    expect(await bench().read(every('rows(n)', { groupBy: [] }))).toEqual([
      'm 0 rows(n)=3i',
      'm 10 rows(n)=1i',
    ])
    expect(await bench().read(every('rows(n), sum(v)'))).toEqual([
      'm,h=a 0 rows(n)=2i,sum(v)=1i',
      'm,h=a 10 rows(n)=1i,sum(v)=2i',
      'm,h=b 0 rows(n)=1i',
    ])
    const whole = { everyNs: undefined, groupBy: ['h'] }
    expect(await bench().read(every('count(v), rows(n)', whole))).toEqual([
      `m,h=a ${allTime.start} count(v)=2i,rows(n)=3i`,
      `m,h=b ${allTime.start} rows(n)=1i`,
    ])
    const predicate = parsePredicate('$v > 1')
    expect(await bench().read({ ...every('rows(n)', { groupBy: [] }), predicate })).toEqual([
      'm 10 rows(n)=1i',
    ])
    const part = { start: 2n, stop: 12n }
    expect(await bench().read({ ...every('rows(n)', whole), range: part })).toEqual([
      'm,h=a 2 rows(n)=1i',
      'm,h=b 2 rows(n)=1i',
    ])
  })
}
