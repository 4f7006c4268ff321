// Every function of InfluxQL, by name, with what kind it is: what the planner needs to know before
// it asks for types (`reducerType`, `transformType`, `mathType`) or for the work itself.

/**
 * aggregate: a window becomes one value without a time of its own. selector: a window becomes one of its points.
 * multi-selector: a window becomes several points. transform: a group's points become other points. math: row by row.
 */
export type FunctionKind = 'aggregate' | 'selector' | 'multi-selector' | 'transform' | 'math'

const kinds: ReadonlyMap<string, FunctionKind> = new Map([
  ...named('aggregate', 'count', 'sum', 'mean', 'spread', 'stddev', 'median', 'mode', 'integral'),
  ...named('selector', 'min', 'max', 'first', 'last', 'percentile'),
  ...named('multi-selector', 'distinct', 'sample', 'top', 'bottom'),
  ...named('transform', 'derivative', 'non_negative_derivative', 'difference'),
  ...named('transform', 'non_negative_difference', 'moving_average', 'cumulative_sum', 'elapsed'),
  ...named('transform', 'holt_winters', 'holt_winters_with_fit', 'exponential_moving_average'),
  ...named('transform', 'double_exponential_moving_average', 'triple_exponential_moving_average'),
  ...named('transform', 'triple_exponential_derivative', 'relative_strength_index'),
  ...named('transform', 'kaufmans_efficiency_ratio', 'kaufmans_adaptive_moving_average'),
  ...named('transform', 'chande_momentum_oscillator'),
  ...named('math', 'abs', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'exp', 'ln'),
  ...named('math', 'log', 'log2', 'log10', 'sqrt', 'pow', 'floor', 'ceil', 'round'),
])

/** Undefined: there is no such function. */
export function functionKind(name: string): FunctionKind | undefined {
  return kinds.get(name)
}

function named(kind: FunctionKind, ...names: string[]): [string, FunctionKind][] {
  return names.map((name) => [name, kind])
}
