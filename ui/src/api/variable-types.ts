// Variables as the service tells them: lists, maps,
// and what queries answer.

export interface VariableQuery {
  readonly query: string
  readonly language: 'flux' | 'influxql' | 'sql'
  /** By name, for InfluxQL and SQL; absent: the first there is. */
  readonly bucket?: string
}

export type VariableArguments =
  | { readonly type: 'constant'; readonly values: readonly string[] }
  | { readonly type: 'map'; readonly values: Readonly<Record<string, string>> }
  | { readonly type: 'query'; readonly values: VariableQuery }

export interface VariableInput {
  readonly name: string
  readonly description?: string
  readonly selected?: readonly string[] | null
  readonly arguments: VariableArguments
}

export interface Variable extends VariableInput {
  readonly id: string
  readonly orgID: string
}
