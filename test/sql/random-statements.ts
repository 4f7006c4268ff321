// Random SQL over the points of random-data.ts, as dashboards and people write it. Where rows are cut off, their order
// leaves nothing open.

import type { Random } from '../../src/platform/random.js'
import { measurements, spanSeconds, tagValues, weeks } from '../influxql/random-data.js'

export class RandomStatements {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  next(): string {
    const kinds = [
      () => this.#rows(),
      () => this.#groups(),
      () => this.#groups(),
      () => this.#groups(),
      () => this.#distinct(),
      () => this.#nested(),
    ]
    return this.#pick(kinds)()
  }

  #pick<T>(choices: readonly T[]): T {
    return this.#random.pick(choices)
  }

  #list(choices: readonly string[], most: number): string[] {
    return Array.from({ length: 1 + this.#random.below(most) }, () => this.#pick(choices))
  }

  #source(): string {
    return this.#pick(measurements)
  }

  #where(): string {
    const conditions = Array.from({ length: this.#random.below(3) }, () => this.#condition())
    return conditions.length === 0
      ? ''
      : ` WHERE ${conditions.join(this.#pick([' AND ', ' AND ', ' OR ']))}`
  }

  #condition(): string {
    const start = this.#pick(weeks) + this.#random.below(spanSeconds)
    const [from, to] = [start, start + this.#pick([60, 3600, 700_000])].map((seconds) =>
      new Date(seconds * 1000).toISOString(),
    )
    const host = this.#pick(tagValues.host)
    return this.#pick([
      `(time >= '${from}' AND time < '${to}')`,
      `time BETWEEN '${from}' AND '${to}'`,
      `time > '${from}'`,
      `host = '${host}'`,
      `host <> '${host}'`,
      `host IN ('${host}', 'c')`,
      `host NOT IN ('${host}', 'c')`,
      'zone IS NULL',
      `zone = 'north'`,
      `NOT (zone = 'south')`,
      `zone LIKE 'n%'`,
      `f > ${this.#random.below(500) - 250}`,
      `i BETWEEN -200 AND 500`,
      'f + i > 100',
      's IS NOT NULL',
      `s = 'on'`,
      `s <> 'off'`,
      'b',
      'NOT b',
      `(host = '${host}' OR f < 0)`,
      `(f > 0 AND zone = 'north' OR i < 0)`,
      's IS NULL',
      'f IS NULL',
      `host ~ '[ab]'`,
      `zone ILIKE 'N%'`,
      'NOT (f > 0 OR i < 0)',
      'coalesce(f, 0) > 10',
      `s IN ('on', '')`,
      'length(s) > 2',
      `host > 'b'`,
      `(zone >= 'o' OR zone IS NULL)`,
      'f = i',
      `f IS DISTINCT FROM i`,
      `time < TIMESTAMP '${to}'`,
      `time >= now() - INTERVAL '30 days'`,
      `date_trunc('hour', time) = '${from.slice(0, 13)}:00:00Z'`,
      'extract(minute FROM time) < 20',
    ])
  }

  #rows(): string {
    const columns = this.#pick([
      '*',
      'time, host, zone, f, s',
      'time, host, zone, f * 2 AS x, i % 7 AS y, f + i AS z',
      `time, host, zone, CASE WHEN f > 0 THEN 'up' WHEN f < 0 THEN 'down' END AS way, coalesce(f, i, 0) AS v`,
      'host, zone, time, round(f) AS r, abs(i) AS a, upper(s) AS t, b IS NULL AS nothing',
    ])
    const direction = this.#pick(['', ' DESC'])
    const limit = this.#pick(['', ' LIMIT 1', ' LIMIT 20', ' LIMIT 50 OFFSET 5'])
    return `SELECT ${columns} FROM ${this.#source()}${this.#where()} ORDER BY time${direction}, host, zone${limit}`
  }

  #aggregates(): string {
    const calls = this.#list(
      [
        'count(*)',
        'count(f)',
        'count(s)',
        'avg(f)',
        'avg(i)',
        'sum(i)',
        'sum(f)',
        'min(f)',
        'max(u)',
        'min(i)',
        'max(i) - min(i)',
        'stddev(f)',
        'median(f)',
        'count(DISTINCT s)',
        'max(time)',
        'min(time)',
        'min(s)',
        'bool_or(b)',
        'sum(f) / count(f)',
        'round(avg(f), 2)',
        'avg(f) FILTER (WHERE i > 0)',
        'sum(CASE WHEN b THEN 1 ELSE 0 END)',
        'avg(f * 2 + i)',
        'count(DISTINCT host)',
        'max(host)',
        'min(zone)',
        'bool_and(b)',
        'var_samp(i)',
        'stddev_pop(i)',
        'avg(abs(f))',
        `sum(i) FILTER (WHERE host = 'a')`,
        'max(f) - min(f)',
        'max(time) - min(time)',
        'count(*) FILTER (WHERE s IS NULL)',
        'sum(i) * 2 + 1',
        'coalesce(max(f), 0)',
      ],
      4,
    )
    return calls.map((call, i) => `${call} AS c${i}`).join(', ')
  }

  #groups(): string {
    const bin = `date_bin(INTERVAL '${this.#pick(['1 minute', '7 minutes', '1 hour', '1 day'])}', time)`
    const keys = this.#pick([
      [],
      ['host'],
      ['zone'],
      ['host', 'zone'],
      [bin],
      [bin, 'host'],
      [bin, 'zone'],
      ['s'],
      ['b', 'host'],
      [bin, 's'],
      [`date_trunc('hour', time)`],
      ['extract(hour FROM time)'],
      [`CASE WHEN f > 0 THEN 'up' ELSE 'down' END`],
      ['upper(host)', 'zone'],
      [`date_bin(INTERVAL '10 minutes', time, TIMESTAMP '2026-01-01T00:03:00Z')`, 'host'],
    ])
    const named = keys.map((key, i) => `${key} AS k${i}`)
    const isBySeries = keys.includes('host') && keys.includes('zone')
    const selectors = isBySeries
      ? this.#pick([
          '',
          ", selector_last(f, time)['value'] AS l, selector_first(s, time)['time'] AS t",
        ])
      : ''
    const columns = [...named, this.#aggregates() + selectors].join(', ')
    const numbers = keys.map((_, i) => i + 1).join(', ')
    const having = this.#pick([
      '',
      '',
      ' HAVING count(f) > 3',
      ' HAVING max(f) > 100 OR min(i) IS NULL',
    ])
    const limit = this.#pick(['', '', ' LIMIT 5', ' LIMIT 10 OFFSET 2'])
    const first = this.#pick(['', '', '', 'c0, ', 'c0 DESC NULLS LAST, '])
    const by =
      keys.length === 0 ? '' : ` GROUP BY ${numbers}${having} ORDER BY ${first}${numbers}${limit}`
    return `SELECT ${columns} FROM ${this.#source()}${this.#where()}${by}`
  }

  #distinct(): string {
    const columns = this.#pick(['host', 'zone', 'host, zone', 's', 'host, b'])
    const numbers = columns.includes(',') ? '1, 2' : '1'
    return `SELECT DISTINCT ${columns} FROM ${this.#source()}${this.#where()} ORDER BY ${numbers}`
  }

  #nested(): string {
    const inner = `SELECT time, host, zone, f, i FROM ${this.#source()}${this.#where()}`
    return this.#pick([
      `WITH x AS (${inner}) SELECT host, avg(f) AS v, count(*) AS n FROM x GROUP BY host ORDER BY host`,
      `SELECT count(*) AS n FROM (${inner}) AS x WHERE f > 0`,
      `SELECT host, max(n) AS n FROM (SELECT host, zone, count(f) AS n FROM ${this.#source()} GROUP BY host, zone) AS x
        GROUP BY host ORDER BY host`,
      `SELECT m.host, count(*) AS c, sum(n.i) AS s FROM m JOIN n ON m.time = n.time AND m.host = n.host
        GROUP BY m.host ORDER BY m.host`,
      `SELECT 'm' AS k, count(f) AS n FROM m${this.#where()} UNION ALL SELECT 'n', count(f) FROM n ORDER BY k`,
      `SELECT time, host, zone, f - lag(f) OVER (PARTITION BY host, zone ORDER BY time) AS d
        FROM ${this.#source()}${this.#where()} ORDER BY time, host, zone LIMIT 50`,
      `SELECT host, zone FROM ${this.#source()} WHERE f = (SELECT max(f) FROM ${this.#source()}) ORDER BY 1, 2`,
    ])
  }
}
