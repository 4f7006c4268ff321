// Random InfluxQL over the points of random-data.ts, as people and dashboards write it. What docs/influxql.md names as
// different on purpose, and what depends on the order of rows of one time, is left out.

import type { Random } from '../../src/platform/random.js'
import { copies, measurements, spanSeconds, tagValues, weeks } from './random-data.js'

const numbers = ['f', 'u', 'i']

export class RandomQueries {
  readonly #random: Random
  readonly #isWhole: boolean

  /** `isWhole`: every week has every field. InfluxDB does not always know else what `FILL` of a number is to make. */
  constructor(random: Random, isWhole: boolean) {
    this.#random = random
    this.#isWhole = isWhole
  }

  /** `hasDeleted`: InfluxDB still counts and names series whose points are gone. */
  next(hasDeleted: boolean): string {
    const kinds = [
      () => this.#rows(),
      () => this.#rows(),
      () => this.#calls(),
      () => this.#calls(),
      () => this.#calls(),
      () => this.#windows(),
      () => this.#windows(),
      () => this.#windows(),
      () => this.#selectors(),
      () => this.#transformations(),
      () => this.#ofSubquery(),
      () => this.#arithmeticOfRows(),
      () => this.#arithmeticOfCalls(),
      () => this.#namedColumns(),
      () => this.#wildcardCalls(),
      () => this.#selectorsInSubquery(),
      () => this.#limitedRows(),
      () => this.#mathematics(),
      ...(hasDeleted ? [] : [() => this.#limitedGroups(), () => this.#schema()]),
      () => this.#windowsOfSelectors(),
    ]
    return this.#pick(kinds)()
  }

  #pick<T>(choices: readonly T[]): T {
    return this.#random.pick(choices)
  }

  #maybe(text: () => string, chances = 2): string {
    return this.#random.below(chances) === 0 ? text() : ''
  }

  #some<T>(choices: readonly T[], most: number): T[] {
    const count = 1 + this.#random.below(most)
    const left = [...choices]
    const some: T[] = []
    while (some.length < count && left.length > 0) {
      some.push(...left.splice(this.#random.below(left.length), 1))
    }
    return some
  }

  #source(): string {
    return this.#pick([...measurements, ...measurements, copies, 'm, n', '/[mn]/'])
  }

  #where(): string {
    const conditions = this.#some([() => this.#range(), () => this.#tag(), () => this.#value()], 3)
    return ` WHERE ${conditions.map((condition) => condition()).join(' AND ')}`
  }

  #whereOfTags(): string {
    const conditions = this.#some([() => this.#range(), () => this.#tag()], 2)
    return ` WHERE ${conditions.map((condition) => condition()).join(' AND ')}`
  }

  #range(): string {
    const start = this.#pick(weeks) + this.#random.below(spanSeconds)
    const end = start + this.#pick([1, 60, 3600, 20_000, 700_000])
    return this.#pick([
      `time >= ${start}s AND time < ${end}s`,
      `time > ${start}s AND time <= ${end}s`,
      `time >= ${start}s`,
      `time < ${end}s`,
      `time = ${start - (start % 10)}s`,
      `time >= '${new Date(start * 1000).toISOString()}' AND time <= ${start}s + 2h`,
    ])
  }

  /** With both ends. */
  #rangeOf(seconds: readonly number[]): string {
    const start = this.#pick(weeks) + this.#random.below(spanSeconds)
    return `time >= ${start}s AND time < ${start + this.#pick(seconds)}s`
  }

  #tag(): string {
    const key = this.#pick(['host', 'zone'] as const)
    const value = () => this.#pick(tagValues[key])
    return this.#pick([
      `${key} = '${value()}'`,
      `${key} != '${value()}'`,
      `${key} =~ /${value() || '^$'}/`,
      `${key} !~ /${value() || 'o'}/`,
      `(host = '${this.#pick(tagValues.host)}' OR zone = '${this.#pick(tagValues.zone)}')`,
    ])
  }

  #value(): string {
    return this.#pick([
      `f > ${this.#random.below(500) - 250}`,
      `i <= ${this.#random.below(1000) - 500}`,
      `f + i > ${this.#random.below(500)}`,
      `s = 'on'`,
      `s != 'off'`,
      `s =~ /o/`,
      'b = true',
      `(f > 0 OR i > 0)`,
      `(host = 'a' OR f < 0)`,
      `(zone = '' OR f > 0)`,
      `(zone != 'north' OR s != zone)`,
      `(s = 'on' AND host != 'a' OR b != true)`,
      's != zone',
      'none != s',
      'host != zone',
      'i / 2 < f',
      'f != i',
      's !~ /o/',
      `i != '3'`,
    ])
  }

  #rows(): string {
    const columns = this.#pick([
      () => '*',
      () => this.#some([...numbers, 's', 'b'], 4).join(', '),
      () => `${this.#pick(numbers)}, host`,
      () => `${this.#pick(numbers)} + ${this.#pick(numbers)} AS sum, ${this.#pick(numbers)} * 2`,
      () => '/[fi]/',
    ])()
    const isDescending = this.#random.below(3) === 0
    // Rows of one time come in the order of a heap otherwise.
    const groups = isDescending ? ' GROUP BY *' : this.#maybe(() => ` ${this.#groups()}`)
    const order = isDescending ? ' ORDER BY time DESC' : ''
    const isLimited = groups.includes('*')
    const limit = isLimited ? this.#maybe(() => ` LIMIT ${this.#pick([1, 7, 100])}`) : ''
    const source =
      groups === '' && !columns.includes('*') ? this.#pick(measurements) : this.#source()
    return `SELECT ${columns} FROM ${source}${this.#where()}${groups}${order}${limit}`
  }

  #arithmeticOfRows(): string {
    const condition = this.#maybe(() => {
      const comparison = this.#pick(['<', '>=', '=', '!='])
      return ` AND ${this.#arithmetic(numbers, [])} ${comparison} ${this.#arithmetic(numbers, [])}`
    })
    const columns = `${this.#arithmetic(numbers)} AS e, ${this.#arithmetic(numbers)} AS g, i`
    const source = this.#pick(measurements)
    return `SELECT ${columns} FROM ${source}${this.#where()}${condition} GROUP BY *`
  }

  #arithmeticOfCalls(): string {
    const calls = ['max(u)', 'min(f)', 'sum(i)', 'count(i)', 'count(s)', 'mean(i)', 'spread(i)']
    const columns = `${this.#arithmetic(calls)} AS e, max(i)`
    const source = this.#pick(measurements)
    const range = this.#rangeOf([3600, 20_000])
    const by = this.#pick(['', ' GROUP BY host', ' GROUP BY time(7m) FILL(none)'])
    if (this.#random.below(2) === 0) return `SELECT ${columns} FROM ${source} WHERE ${range}${by}`
    const inner = `SELECT sum(i) AS v, count(f) AS w, max(u) AS x FROM ${source} WHERE ${range}${by}`
    return `SELECT ${this.#arithmetic(['v', 'w', 'x'])} AS e, v FROM (${inner}) WHERE w / 3 > 2`
  }

  #arithmetic(
    leaves: readonly string[],
    functions: readonly string[] = ['abs', 'ceil', 'floor', 'round'],
    depth = 2,
  ): string {
    if (depth === 0) return this.#pick(leaves)
    const part = () => this.#arithmetic(leaves, functions, depth - 1)
    const other = () => this.#pick([part, part, () => this.#pick(['2', '7', '0.5'])])()
    const joined = () => `(${part()} ${this.#pick(['+', '-', '*', '/', '%'])} ${other()})`
    const called = functions.map((name) => () => `${name}(${part()})`)
    return this.#pick([joined, joined, joined, part, ...called])()
  }

  /** Columns that are cast, told to be a tag or a field, named twice, or the time itself. */
  #namedColumns(): string {
    const columns = this.#some(
      [
        'i::float',
        'f::integer',
        'i::field',
        'host::tag',
        'zone',
        's::string',
        'b::boolean',
        'time',
        'f AS host_f',
        'i AS i',
        'f',
        'none',
        'f, f',
      ],
      4,
    )
    const number = this.#pick(numbers)
    const order = this.#maybe(() => ' ORDER BY time DESC', 4)
    return `SELECT ${number}, ${columns.join(', ')} FROM ${this.#pick(measurements)}${this.#where()} GROUP BY *${order}`
  }

  #wildcardCalls(): string {
    const call = this.#pick([
      'mean(*)',
      'sum(/[fi]/)',
      'max(*)',
      'min(/u|i/)',
      'count(/./)',
      'first(*)',
      'last(*)',
      'last(/[sb]/)',
      'spread(*), count(f)',
      'percentile(*, 50)',
      'median(/u/)',
      'mean(f), mean(f), mean(i)',
      'max(u), max(f)',
    ])
    const source = this.#pick(measurements)
    const isOrdered = /first|last/.test(call)
    if (this.#random.below(2) === 0) {
      const by = isOrdered ? ' GROUP BY *' : this.#maybe(() => ` ${this.#groups()}`)
      return `SELECT ${call} FROM ${source}${this.#where()}${by}`
    }
    const tags = isOrdered ? ', *' : this.#pick(['', ', host', ', *'])
    const fill = this.#pick([' FILL(none)', ' FILL(previous)', ''])
    const range = this.#rangeOf([60, 3600])
    return `SELECT ${call} FROM ${source} WHERE ${range} GROUP BY time(5m)${tags}${fill}`
  }

  #selectorsInSubquery(): string {
    const source = this.#pick(measurements)
    const where = this.#whereOfTags()
    const inner = this.#pick([
      `SELECT max(u) AS v, host, i AS w FROM ${source}${where}`,
      `SELECT max(u) AS v FROM ${source}${where} GROUP BY host`,
      `SELECT top(u, 3) AS v, host FROM ${source}${where}`,
      `SELECT percentile(u, 50) AS v FROM ${source}${where} GROUP BY *`,
      `SELECT u AS v, i AS w FROM ${source}${where} GROUP BY host`,
      `SELECT u AS v, host FROM ${source}${where} AND f > 0`,
    ])
    return this.#pick([
      `SELECT max(v) FROM (${inner})`,
      `SELECT mean(v), count(v) FROM (${inner}) GROUP BY host`,
      `SELECT sum(v) FROM (${inner}) WHERE host = '${this.#pick(tagValues.host)}'`,
      `SELECT count(v) FROM (${inner}), (SELECT u AS v FROM ${this.#pick(measurements)})`,
      `SELECT max(v), host FROM (${inner})`,
      `SELECT * FROM (${inner}) GROUP BY *`,
      `SELECT top(v, 2) FROM (${inner})`,
    ])
  }

  /** Not within a subquery: InfluxDB counts anew there wherever rows of another series follow. */
  #limitedRows(): string {
    const limit = `LIMIT ${this.#pick([1, 3, 40])}${this.#maybe(() => ` OFFSET ${this.#pick([1, 5, 50])}`)}`
    const order = this.#maybe(() => ' ORDER BY time DESC')
    const rows = `SELECT ${this.#pick(numbers)} AS v, s FROM ${this.#pick(measurements)}${this.#where()} GROUP BY *`
    return this.#pick([`${rows}${order} ${limit}`, `SELECT v FROM (${rows}) GROUP BY * ${limit}`])
  }

  #mathematics(): string {
    const number = this.#pick(numbers)
    const calls = this.#some(
      [
        `abs(${number})`,
        `sqrt(abs(${number}))`,
        `pow(${number}, 2)`,
        `floor(${number} / 3)`,
        `ceil(${number} * 1.5)`,
        `round(${number} / 7)`,
        `sin(0) + ${number}`,
        `${number} % 7`,
        `-1 * ${number}`,
        `(${number})`,
      ],
      3,
    ).map((call, i) => `${call} AS c${i}`)
    return `SELECT ${calls.join(', ')}, i FROM ${this.#pick(measurements)}${this.#where()} GROUP BY *`
  }

  #groups(): string {
    return `GROUP BY ${this.#pick(['host', 'zone', '*', 'host, zone', '/o/'])}`
  }

  #call(): string {
    const number = this.#pick(numbers)
    return this.#pick([
      `count(${this.#pick([...numbers, 's', 'b', '*', '/[fb]/'])})`,
      `mean(${number})`,
      `sum(${number})`,
      `min(${number})`,
      `max(${number})`,
      `spread(${number})`,
      `stddev(${number})`,
      `median(${number})`,
      `percentile(u, ${this.#pick([50, 90, 99.9])})`,
      `count(distinct(${this.#pick(['f', 'i', 's', 'b'])}))`,
      `first(${this.#pick([...numbers, 's'])})`,
      `last(${this.#pick([...numbers, 's', 'b'])})`,
      `sum(i) / count(i)`,
      'mean(f) * 2 + max(u)',
      'distinct(s)',
      'mode(b)',
    ])
  }

  #callList(most: number): string {
    const calls = Array.from({ length: 1 + this.#random.below(most) }, () => this.#call())
    const alone = calls.find((call) => /^(distinct|mode)/.test(call))
    if (alone !== undefined) return alone
    return calls
      .map((call, i) => (call.includes('*)') || call.includes('/[') ? call : `${call} AS c${i}`))
      .join(', ')
  }

  /** First and last of several series at one time are whichever comes first in InfluxDB's file of series. */
  #calls(): string {
    const calls = this.#callList(3)
    const groups = /first|last/.test(calls)
      ? ' GROUP BY *'
      : this.#maybe(() => ` ${this.#groups()}`)
    return `SELECT ${calls} FROM ${this.#source()}${this.#where()}${groups}`
  }

  #windows(): string {
    const calls = this.#callList(3)
    const window = this.#pick(['10s', '1m', '7m', '1h', '1d', '1w', '1h, 10m'])
    const tags = this.#pick(['', ', host', ', *', ', zone'])
    const source = this.#source()
    const takesNumber = this.#isWhole && source !== copies && !/(first|last|mode)\([sb]/.test(calls)
    const fills = ['none', 'previous', 'linear', 'null', ...(takesNumber ? ['0'] : [])]
    const fill = this.#maybe(() => ` FILL(${this.#pick(fills)})`)
    const range = this.#rangeOf([60, 3600, 20_000])
    const other = this.#maybe(
      () => ` AND ${this.#pick([() => this.#tag(), () => this.#value()])()}`,
    )
    const order = this.#maybe(() => ' ORDER BY time DESC', 4)
    const limit = this.#maybe(() => ` LIMIT ${this.#pick([1, 5])}`, 4)
    const zone = this.#maybe(() => ` TZ('${this.#pick(['Europe/Berlin', 'Asia/Kolkata'])}')`, 6)
    const by = `GROUP BY time(${window})${tags}`
    const end = `${fill}${order}${limit}${zone}`
    return `SELECT ${calls} FROM ${source} WHERE ${range}${other} ${by}${end}`
  }

  #selectors(): string {
    const call = this.#pick([
      'max(u), host',
      'min(u), i, s',
      'max(u), *',
      `top(u, ${this.#pick([1, 3, 50])})`,
      `bottom(u, ${this.#pick([1, 3])})`,
      'top(u, host, 2)',
      'percentile(u, 50), f',
    ])
    const groups = this.#maybe(() => ` ${this.#groups()}`)
    return `SELECT ${call} FROM ${this.#pick(measurements)}${this.#where()}${groups}`
  }

  #transformations(): string {
    const field = this.#pick(numbers)
    const isOfWindows = this.#random.below(2) === 0
    const inner = isOfWindows ? `${this.#pick(['mean', 'max', 'sum', 'count'])}(${field})` : field
    const call = this.#pick([
      `derivative(${inner}, 10s)`,
      `non_negative_derivative(${inner}, 1m)`,
      `difference(${inner})`,
      `non_negative_difference(${inner})`,
      `moving_average(${inner}, 3)`,
      `cumulative_sum(${inner})`,
      ...(isOfWindows ? [] : [`elapsed(${field}, 1s)`]),
    ])
    const source = this.#pick(measurements)
    if (!isOfWindows) return `SELECT ${call} FROM ${source}${this.#where()} GROUP BY *`
    const range = this.#rangeOf([600, 7200])
    const fill = this.#maybe(
      () => ` FILL(${this.#pick(['none', 'previous', ...(this.#isWhole ? ['0'] : [])])})`,
    )
    const tags = this.#pick(['', ', host', ', *'])
    return `SELECT ${call} FROM ${source} WHERE ${range} GROUP BY time(1m)${tags}${fill}`
  }

  #ofSubquery(): string {
    const source = this.#pick(measurements)
    const call = this.#pick(['mean', 'max', 'sum', 'count', 'min'])
    const range = this.#rangeOf([600, 7200])
    const by = 'GROUP BY time(1m), host FILL(none)'
    const windows = `SELECT ${call}(${this.#pick(numbers)}) AS v FROM ${source} WHERE ${range} ${by}`
    const rows = `SELECT ${this.#pick(numbers)} * 2 AS v, i AS w FROM ${source}${this.#whereOfTags()}`
    const outer = this.#pick(['mean(v)', 'max(v)', 'sum(v)', 'count(v)', 'spread(v)'])
    return this.#pick([
      `SELECT ${outer} FROM (${windows})`,
      `SELECT ${outer} FROM (${windows}) GROUP BY host`,
      `SELECT ${outer} FROM (${windows}) WHERE ${range} GROUP BY time(5m) FILL(none)`,
      `SELECT ${outer} FROM (${rows}) WHERE v > 0`,
      `SELECT ${outer}, count(w) FROM (${rows}) GROUP BY host`,
      `SELECT ${outer} FROM (SELECT mean(v) AS v FROM (${windows}) GROUP BY time(5m), host FILL(none))`,
      `SELECT v, w * 2 FROM (${rows}) WHERE w > 0 GROUP BY *`,
      `SELECT derivative(v, 1m) FROM (${windows}) GROUP BY host`,
    ])
  }

  /** Within a week: InfluxDB counts series in each of its shards. */
  #limitedGroups(): string {
    const start = this.#pick(weeks)
    const range = `time >= ${start}s AND time < ${start + spanSeconds}s`
    const limit = `SLIMIT ${this.#pick([1, 2])}${this.#maybe(() => ' SOFFSET 1')}`
    const what = this.#pick(['mean(f)', 'count(u)', 'f, i', 'max(u)'])
    const by = this.#pick(['host', '*', 'zone'])
    return `SELECT ${what} FROM ${this.#pick(measurements)} WHERE ${range} GROUP BY ${by} ${limit}`
  }

  #windowsOfSelectors(): string {
    const call = this.#pick([
      'max(u), host',
      'min(u), f',
      'top(u, 2)',
      'bottom(u, host, 1)',
      'first(f), i',
      'percentile(u, 50), s',
    ])
    const range = this.#rangeOf([600, 7200])
    const tags = /first/.test(call) ? ', *' : this.#pick(['', ', host', ', *'])
    const by = `GROUP BY time(${this.#pick(['1m', '10m'])})${tags}`
    const fill = this.#maybe(() => ` FILL(${this.#pick(['none', 'previous'])})`)
    return `SELECT ${call} FROM ${this.#pick(measurements)} WHERE ${range} ${by}${fill}`
  }

  #schema(): string {
    const from = this.#maybe(() => ` FROM ${this.#pick(['m', 'n', '/[mn]/'])}`)
    const where = this.#maybe(() => ` WHERE ${this.#tag()}`)
    const limit = this.#maybe(() => ` LIMIT ${this.#pick([1, 3])}${this.#maybe(() => ' OFFSET 1')}`)
    const key = this.#pick(['= host', '= zone', 'IN (host, zone)', '=~ /o/', '!= host', '= none'])
    return this.#pick([
      `SHOW TAG VALUES${from} WITH KEY ${key}${where}${limit}`,
      `SHOW TAG VALUES${from} WITH KEY ${key}${where}${limit}`,
      `SHOW TAG KEYS${from}${where}${limit}`,
      `SHOW SERIES${from}${where}${limit}`,
      `SHOW FIELD KEYS${from}`,
      `SHOW MEASUREMENTS${where}${limit}`,
      `SHOW MEASUREMENTS WITH MEASUREMENT =~ /[${this.#pick(measurements)}x]/${where}`,
      `SHOW TAG VALUES EXACT CARDINALITY${from} WITH KEY ${key}`,
    ])
  }
}
