// The functions that a statement may call. Names that are not listed are refused: DuckDB has functions that read
// settings and files, and a new version may bring more.

import { planningError } from './failure.js'
import { outsideName } from './names.js'
import { type TreeNode, walk } from './tree.js'

export const aggregates: ReadonlySet<string> = new Set(
  `array_agg avg mean bit_and bit_or bit_xor bool_and bool_or count count_star first_value last_value max median min
  string_agg sum corr covar covar_pop covar_samp regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
  regr_sxx regr_syy regr_sxy stddev stddev_pop stddev_samp var var_pop var_population var_samp var_sample mode
  approx_distinct approx_median approx_percentile_cont selector_first selector_last selector_min selector_max`.split(
    /\s+/,
  ),
)

const scalars = new Set(
  `date_bin date_bin_gapfill date_bin_wallclock date_bin_wallclock_gapfill interpolate locf date_trunc
  datetrunc date_part datepart now today current_date current_timestamp current_time to_timestamp
  to_timestamp_seconds to_timestamp_millis to_timestamp_micros to_timestamp_nanos to_unixtime from_unixtime
  to_date make_date to_char date_format to_local_time tz timezone epoch epoch_ns row_number rank dense_rank
  percent_rank cume_dist ntile lag lead nth_value greatest least nvl ifnull nvl2 nullif abs acos acosh asin
  asinh atan atanh atan2 cbrt ceil ceiling cos cosh cot degrees exp factorial floor gcd isnan iszero lcm ln
  log log10 log2 nanvl pi power pow radians random round signum sign sin sinh sqrt tan tanh trunc mod xor
  ascii bit_length btrim char_length character_length chr concat concat_ws contains ends_with initcap instr
  left length levenshtein lower lpad ltrim octet_length overlay position repeat replace reverse right rpad
  rtrim split_part starts_with strpos substr substring translate to_hex trim upper uuid regexp_like
  regexp_match regexp_replace regexp_count regexp_full_match encode md5 sha256 array_length array_contains
  array_has array_position array_sort array_distinct array_to_string array_extract array_slice array_concat
  list_value list_contains list_sort list_distinct list_concat list_slice list_element list_extract
  list_position make_array range generate_series flatten cardinality string_to_array len map map_extract
  element_at map_keys map_values struct_pack struct_extract row arrow_cast arrow_typeof version database unnest
  to_years to_months to_weeks to_days to_hours to_minutes to_seconds to_milliseconds to_microseconds
  to_quarters to_decades to_centuries like_escape not_like_escape ilike_escape not_ilike_escape + - * / //
  % & | ^ << >> || ~ ~~ !~~ ~~* !~~* ~* !~ !~*`.split(/\s+/),
)

/** Those that `gapfill.ts` takes out of a query. */
export const gapFunctions: ReadonlySet<string> = new Set([
  'date_bin_gapfill',
  'date_bin_wallclock_gapfill',
  'interpolate',
  'locf',
])

/** Those that `value-caches.ts` puts a query in the place of. */
export const cacheFunctions: ReadonlySet<string> = new Set(['last_cache', 'distinct_cache'])

const tableFunctions = new Set(['range', 'generate_series', 'unnest', ...cacheFunctions])

/** A chain of `a || b || c` holds every step on its way, for 2,048 rows at once and past the limit of memory. */
const joinsMax = 256

/** Throws where the statement calls what it may not. */
export function checkFunctions(tree: TreeNode): void {
  const tables = new Set<TreeNode>()
  let joins = 0
  for (const node of walk(tree)) {
    if (node.type === 'TABLE_FUNCTION' && node.function !== undefined) {
      tables.add(node.function)
      if (tableFunctions.has(node.function.function_name ?? '')) continue
      throw planningError(`table function '${shown(node.function)}' not found`)
    }
    if (node.function_name === undefined || tables.has(node)) continue
    const name = node.function_name
    if (name === '||' && ++joins > joinsMax) {
      throw planningError(`more than ${joinsMax} operators || in a statement`)
    }
    const isOwn = (node.schema ?? '') === '' || node.schema === 'main'
    if (isOwn && (node.catalog ?? '') === '' && (scalars.has(name) || aggregates.has(name)))
      continue
    throw planningError(`Invalid function '${shown(node)}'.`)
  }
}

function shown({ function_name = '' }: TreeNode): string {
  return outsideName(function_name)
}
