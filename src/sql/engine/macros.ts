// The functions of the v3 products that DuckDB has not, or has with another meaning, as macros of each
// instance. No statement can name them: `translate-functions.ts` puts them in the place of what the statement calls.

/**
 * No function makes a longer text or list out of little: DuckDB's limit of memory does not see them being made, and it
 * makes 2,048 at a time.
 */
const textLengthMax = 16_384
const listLengthMax = 4096

function limited(
  name: string,
  parameters: string,
  length: string,
  lengthMax: number,
  body: string,
): string {
  const tooLong = `error('the result of a function is longer than ${lengthMax}')`
  return `CREATE MACRO ${name}(${parameters}) AS
    CASE WHEN ${length} > ${lengthMax} THEN ${tooLong} ELSE ${body} END`
}

/** Digits of a text that is a number, in units of so many nanoseconds; anything else is a moment. */
function timestamp(name: string, unitNs: number): string {
  const number = 'TRY_CAST(CAST(x AS VARCHAR) AS DECIMAL(38, 9))'
  return `CREATE MACRO ${name}(x) AS CASE WHEN ${number} IS NOT NULL
    THEN make_timestamp_ns(CAST(${number} * ${unitNs} AS BIGINT))
    ELSE CAST(CAST(x AS VARCHAR) AS TIMESTAMP_NS) END`
}

const arrowTypes = `CASE typeof(x)
  WHEN 'BIGINT' THEN 'Int64' WHEN 'INTEGER' THEN 'Int64' WHEN 'UBIGINT' THEN 'UInt64'
  WHEN 'DOUBLE' THEN 'Float64' WHEN 'FLOAT' THEN 'Float32' WHEN 'VARCHAR' THEN 'Utf8'
  WHEN 'BOOLEAN' THEN 'Boolean' WHEN 'DATE' THEN 'Date32' WHEN '"NULL"' THEN 'Null'
  WHEN 'INTERVAL' THEN 'Interval(MonthDayNano)'
  WHEN 'TIMESTAMP WITH TIME ZONE' THEN 'Timestamp(Nanosecond, Some("UTC"))'
  WHEN 'TIMESTAMP_NS' THEN 'Timestamp(Nanosecond, None)'
  WHEN 'TIMESTAMP' THEN 'Timestamp(Nanosecond, None)' ELSE typeof(x) END`

export const macros: readonly string[] = [
  `CREATE MACRO mr_bin(t, width, origin) AS make_timestamp_ns(
    epoch_ns(CAST(t AS TIMESTAMP_NS)) - (((epoch_ns(CAST(t AS TIMESTAMP_NS)) - origin) % width) + width) % width)`,
  `CREATE MACRO mr_bin_months(t, months, origin) AS
    CAST(time_bucket(to_months(months), CAST(t AS TIMESTAMP), CAST(origin AS TIMESTAMP)) AS TIMESTAMP_NS)`,
  // Points without a value do not count; of equal values the earliest.
  `CREATE MACRO mr_selector_first(v, t) AS
    {'time': min(CASE WHEN v IS NOT NULL THEN t END), 'value': arg_min(v, t)}`,
  `CREATE MACRO mr_selector_last(v, t) AS
    {'time': max(CASE WHEN v IS NOT NULL THEN t END), 'value': arg_max(v, t)}`,
  `CREATE MACRO mr_selector_min(v, t) AS
    {'time': arg_min(t, {'v': v, 't': epoch_ns(t)}) FILTER (WHERE v IS NOT NULL), 'value': min(v)}`,
  `CREATE MACRO mr_selector_max(v, t) AS
    {'time': arg_max(t, {'v': v, 't': -epoch_ns(t)}) FILTER (WHERE v IS NOT NULL), 'value': max(v)}`,
  timestamp('mr_to_timestamp', 1_000_000_000),
  timestamp('mr_to_timestamp_millis', 1_000_000),
  timestamp('mr_to_timestamp_micros', 1000),
  timestamp('mr_to_timestamp_nanos', 1),
  `CREATE MACRO mr_to_unixtime(x) AS epoch_ns(mr_to_timestamp(x)) // 1000000000`,
  // The moment stays; a zone that there is not is refused.
  `CREATE MACRO mr_tz(t, zone) AS CASE WHEN timezone(zone, CAST(t AS TIMESTAMP)) IS NULL THEN NULL
    ELSE CAST(t AS TIMESTAMP_NS) END`,
  `CREATE MACRO mr_wall(t, zone) AS CAST(timezone(zone, CAST(CAST(t AS TIMESTAMP) AS TIMESTAMPTZ)) AS TIMESTAMP_NS)`,
  `CREATE MACRO mr_unwall(t, zone) AS
    CAST(CAST(timezone(zone, CAST(t AS TIMESTAMP)) AS TIMESTAMP) AS TIMESTAMP_NS)`,
  `CREATE MACRO mr_zoned(zone, t) AS timezone(zone, CAST(t AS TIMESTAMP))`,
  `CREATE MACRO mr_nvl(a, b) AS coalesce(a, b)`,
  `CREATE MACRO mr_nvl2(a, b, c) AS CASE WHEN a IS NOT NULL THEN b ELSE c END`,
  `CREATE MACRO mr_nanvl(a, b) AS CASE WHEN isnan(a) THEN b ELSE a END`,
  `CREATE MACRO mr_iszero(a) AS a = 0`,
  `CREATE MACRO mr_overlay(s, r, f, l) AS left(s, CAST(f - 1 AS BIGINT)) || r || substr(s, f + l)`,
  `CREATE MACRO mr_initcap(s) AS array_to_string(
    list_transform(string_split(s, ' '), lambda w: upper(left(w, 1)) || lower(substr(w, 2))), ' ')`,
  `CREATE MACRO mr_regexp_count(s, p) AS len(regexp_extract_all(s, p))`,
  `CREATE MACRO mr_regexp_imatches(s, p) AS regexp_matches(s, p, 'i')`,
  `CREATE MACRO mr_arrow_typeof(x) AS ${arrowTypes}`,
  `CREATE MACRO mr_hex(x) AS lower(hex(x))`,
  limited('mr_repeat', 's, n', 'strlen(s) * CAST(n AS DOUBLE)', textLengthMax, 'repeat(s, n)'),
  limited('mr_lpad', 's, n, p', 'n', textLengthMax, 'lpad(s, CAST(n AS INTEGER), p)'),
  limited('mr_rpad', 's, n, p', 'n', textLengthMax, 'rpad(s, CAST(n AS INTEGER), p)'),
  limited('mr_range', 'a, b, c', 'abs((b - a) / c)', listLengthMax, 'range(a, b, c)'),
  limited('mr_series', 'a, b, c', 'abs((b - a) / c)', listLengthMax, 'generate_series(a, b, c)'),
]
