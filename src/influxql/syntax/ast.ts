// The syntax tree of InfluxQL: closed unions of plain readonly objects with a literal `kind`. Trees
// are never changed; whoever rewrites one makes new nodes. Nodes made by the parser know where they
// stand in the text, nodes made by a rewrite do not.

/** Counted from 0, as InfluxDB counts them inside; messages print both plus one. */
export interface Position {
  readonly line: number
  readonly char: number
}

export type DataType =
  | 'float'
  | 'integer'
  | 'unsigned'
  | 'string'
  | 'boolean'
  | 'time'
  | 'duration'
  | 'tag'
  /** `::field`: any type of field, but not a tag. */
  | 'field'

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '&'
  | '|'
  | '^'
  | 'AND'
  | 'OR'
  | '='
  | '!='
  | '=~'
  | '!~'
  | '<'
  | '<='
  | '>'
  | '>='

interface Node {
  readonly at?: Position | undefined
}

export interface Reference extends Node {
  readonly kind: 'reference'
  readonly name: string
  /** Written as `name::type`, or found out while planning. Undefined: not known. */
  readonly type?: DataType | undefined
}

export interface Call extends Node {
  readonly kind: 'call'
  /** Lower case. */
  readonly name: string
  readonly args: readonly Expression[]
}

export interface Binary extends Node {
  readonly kind: 'binary'
  readonly op: BinaryOperator
  readonly left: Expression
  readonly right: Expression
}

export interface Paren extends Node {
  readonly kind: 'paren'
  readonly inner: Expression
}

export interface Wildcard extends Node {
  readonly kind: 'wildcard'
  /** `*::field` or `*::tag`. */
  readonly only?: 'field' | 'tag'
}

/** `DISTINCT name` without parentheses. */
export interface Distinct extends Node {
  readonly kind: 'distinct'
  readonly name: string
}

export interface RegexLiteral extends Node {
  readonly kind: 'regex'
  readonly pattern: string
}

/** A literal that changes from one request to the next has a number: see `literal-slots.ts`. */
interface Slot {
  readonly slot?: number | undefined
}

export type Literal =
  | ({ readonly kind: 'integer'; readonly value: bigint } & Slot & Node)
  /** An integer beyond int64 that fits uint64. */
  | ({ readonly kind: 'unsigned'; readonly value: bigint } & Node)
  | ({ readonly kind: 'number'; readonly value: number } & Slot & Node)
  | ({ readonly kind: 'string'; readonly value: string } & Slot & Node)
  | ({ readonly kind: 'boolean'; readonly value: boolean } & Node)
  | DurationLiteral
  /** Only made by rewrites: `now()`, or a string compared with time. */
  | ({ readonly kind: 'time'; readonly ns: bigint } & Node)
  | RegexLiteral
  | ({ readonly kind: 'nil' } & Node)
  | ({ readonly kind: 'list'; readonly values: readonly string[] } & Node)

/** `1mo` and `1y` (beyond InfluxDB, for `GROUP BY time()`) count in months; one of the two is zero. */
export interface DurationLiteral extends Slot, Node {
  readonly kind: 'duration'
  readonly ns: bigint
  readonly months: number
}

export type Expression = Reference | Call | Binary | Paren | Wildcard | Distinct | Literal

export interface Field {
  readonly expression: Expression
  readonly alias?: string | undefined
}

export interface Dimension {
  readonly expression: Expression
}

export interface MeasurementSource extends Node {
  readonly kind: 'measurement'
  /** Undefined: the request's own. */
  readonly database?: string | undefined
  readonly policy?: string | undefined
  /** Exactly one of `name` and `regex` is there. In a target neither may be (`:MEASUREMENT`). */
  readonly name?: string | undefined
  readonly regex?: RegexLiteral | undefined
  readonly isTarget?: boolean | undefined
}

export interface SubquerySource extends Node {
  readonly kind: 'subquery'
  readonly select: Select
}

export type Source = MeasurementSource | SubquerySource

export type Fill =
  | { readonly kind: 'null' | 'none' | 'previous' | 'linear' }
  | { readonly kind: 'number'; readonly value: number | bigint }

export interface SortField {
  /** Empty: `ORDER BY ASC`. */
  readonly name: string
  readonly ascending: boolean
}

export interface Select extends Node {
  readonly kind: 'select'
  readonly fields: readonly Field[]
  readonly target?: MeasurementSource | undefined
  readonly sources: readonly Source[]
  readonly condition?: Expression | undefined
  readonly dimensions: readonly Dimension[]
  readonly fill: Fill
  readonly sort: readonly SortField[]
  /** 0: none. */
  readonly limit: number
  readonly offset: number
  readonly slimit: number
  readonly soffset: number
  /** The zone of `tz('Area/City')`, checked to exist. */
  readonly zone?: string | undefined
}

export type Privilege = 'READ' | 'WRITE' | 'ALL PRIVILEGES'

interface ShowFilter {
  readonly database?: string
  readonly sources: readonly Source[]
  readonly condition?: Expression
  readonly limit: number
  readonly offset: number
}

/** `WITH KEY`: how the tag keys to show are named. */
export type TagKeyFilter =
  | { readonly op: '=' | '!='; readonly key: string }
  | { readonly op: 'in'; readonly keys: readonly string[] }
  | { readonly op: '=~' | '!~'; readonly regex: RegexLiteral }

/** `WITH MEASUREMENT`. */
export type MeasurementFilter =
  | { readonly op: '=' | '!='; readonly name: string }
  | { readonly op: '=~' | '!~'; readonly regex: RegexLiteral }

export type CardinalityStatement = ShowFilter &
  Node & {
    readonly kind: 'show-cardinality'
    readonly of: 'series' | 'measurement' | 'tag-key' | 'field-key' | 'tag-values'
    readonly exact: boolean
    readonly dimensions: readonly Dimension[]
    /** Only for tag values. */
    readonly withKey?: TagKeyFilter
  }

export type ShowStatement =
  | ({ readonly kind: 'show-databases' } & Node)
  | ({ readonly kind: 'show-retention-policies'; readonly database?: string } & Node)
  | ({
      readonly kind: 'show-measurements'
      /** `ON database.policy`; undefined: the measurements of all policies. */
      readonly policy?: string
      /** `ON *` and `ON *.*`. */
      readonly allDatabases?: boolean
      /** `ON database.*` and `ON *.*`. */
      readonly allPolicies?: boolean
      readonly with?: MeasurementFilter
      readonly sort: readonly SortField[]
    } & ShowFilter &
      Node)
  | ({ readonly kind: 'show-series'; readonly sort: readonly SortField[] } & ShowFilter & Node)
  | ({
      readonly kind: 'show-tag-keys'
      readonly withKey?: TagKeyFilter
      readonly sort: readonly SortField[]
      readonly slimit: number
      readonly soffset: number
    } & ShowFilter &
      Node)
  | ({
      readonly kind: 'show-tag-values'
      readonly withKey: TagKeyFilter
      readonly sort: readonly SortField[]
    } & ShowFilter &
      Node)
  | ({
      readonly kind: 'show-field-keys'
      readonly sort: readonly SortField[]
    } & ShowFilter &
      Node)
  | CardinalityStatement
  | ({ readonly kind: 'show-continuous-queries' } & Node)
  | ({ readonly kind: 'show-queries' } & Node)
  | ({ readonly kind: 'show-users' } & Node)
  | ({ readonly kind: 'show-grants'; readonly user: string } & Node)
  | ({ readonly kind: 'show-shards' } & Node)
  | ({ readonly kind: 'show-shard-groups' } & Node)
  | ({ readonly kind: 'show-subscriptions' } & Node)
  | ({ readonly kind: 'show-stats'; readonly module?: string } & Node)
  | ({ readonly kind: 'show-diagnostics'; readonly module?: string } & Node)

/** Options of CREATE DATABASE … WITH, CREATE and ALTER RETENTION POLICY. Undefined: not written. */
export interface PolicyOptions {
  /** 0n: INF. */
  readonly durationNs?: bigint
  readonly replication?: number
  readonly shardDurationNs?: bigint
  readonly futureLimitNs?: bigint
  readonly pastLimitNs?: bigint
}

export type ManageStatement =
  | ({
      readonly kind: 'create-database'
      readonly name: string
      /** Undefined: no WITH clause. */
      readonly policy?: PolicyOptions & { readonly name?: string }
    } & Node)
  | ({ readonly kind: 'drop-database'; readonly name: string } & Node)
  | ({
      readonly kind: 'create-retention-policy' | 'alter-retention-policy'
      readonly name: string
      readonly database: string
      readonly options: PolicyOptions
      readonly isDefault: boolean
    } & Node)
  | ({
      readonly kind: 'drop-retention-policy'
      readonly name: string
      readonly database: string
    } & Node)
  | ({
      readonly kind: 'create-user'
      readonly name: string
      readonly password: string
      readonly admin: boolean
    } & Node)
  | ({ readonly kind: 'drop-user'; readonly name: string } & Node)
  | ({ readonly kind: 'set-password'; readonly name: string; readonly password: string } & Node)
  | ({
      readonly kind: 'grant' | 'revoke'
      readonly privilege: Privilege
      readonly database: string
      readonly user: string
    } & Node)
  | ({ readonly kind: 'grant-admin' | 'revoke-admin'; readonly user: string } & Node)
  | ({
      readonly kind: 'create-continuous-query'
      readonly name: string
      readonly database: string
      readonly select: Select
      /** 0n: not written. */
      readonly resampleEveryNs: bigint
      readonly resampleForNs: bigint
    } & Node)
  | ({
      readonly kind: 'drop-continuous-query'
      readonly name: string
      readonly database: string
    } & Node)
  | ({
      readonly kind: 'create-subscription'
      readonly name: string
      readonly database: string
      readonly policy: string
      readonly mode: 'ALL' | 'ANY'
      readonly destinations: readonly string[]
    } & Node)
  | ({
      readonly kind: 'drop-subscription'
      readonly name: string
      readonly database: string
      readonly policy: string
    } & Node)
  | ({ readonly kind: 'kill-query'; readonly id: bigint; readonly host?: string } & Node)

export type DeleteStatement =
  | ({
      /** DELETE and DROP SERIES: no sources means every measurement. */
      readonly kind: 'delete-series' | 'drop-series'
      readonly sources: readonly Source[]
      readonly condition?: Expression
    } & Node)
  | ({ readonly kind: 'drop-measurement'; readonly name: string } & Node)
  | ({ readonly kind: 'drop-shard'; readonly id: bigint } & Node)

export interface Explain extends Node {
  readonly kind: 'explain'
  readonly analyze: boolean
  readonly select: Select
}

export type Statement = Select | Explain | ShowStatement | ManageStatement | DeleteStatement
