// The catalog's tables as Kysely sees them. Types are kept to what every SQL database has: texts
// and integers; `migrations.ts` makes the tables, the resource files give the rows their meaning.

export interface OrganizationRow {
  id: string
  name: string
  description: string
  status: string
  created_at: string
  updated_at: string
}

export interface UserRow {
  id: string
  name: string
  status: string
  /** null: the user cannot sign in with a password. */
  password_hash: string | null
  created_at: string
  updated_at: string
}

export interface BucketRow {
  id: string
  org_id: string
  name: string
  description: string
  type: string
  schema_type: string
  /** 0: kept for ever. */
  retention_seconds: number
  created_at: string
  updated_at: string
}

export interface TokenRow {
  id: string
  token_hash: string
  /** null: bound to no organization. */
  org_id: string | null
  /** null: bound to no user. */
  user_id: string | null
  /** null: made by nobody that could be deleted. */
  creator_id: string | null
  description: string
  status: string
  /** JSON: a list of permissions. */
  permissions: string
  created_at: string
  updated_at: string
}

/** v1 user names with their passwords; the rest is as in a token. */
export interface LegacyTokenRow {
  id: string
  username: string
  /** null: cannot be used before a password was set. */
  password_hash: string | null
  org_id: string
  user_id: string | null
  creator_id: string | null
  description: string
  status: string
  /** JSON: a list of permissions. */
  permissions: string
  created_at: string
  updated_at: string
}

export interface SessionRow {
  key_hash: string
  user_id: string
  created_at: string
  /** Moves on with use, never beyond `ends_at`. */
  expires_at: string
  ends_at: string
}

export interface SecretRow {
  org_id: string
  name: string
  value: string
}

export interface LimitsRow {
  org_id: string
  /** JSON: what differs from the plan. */
  body: string
  updated_at: string
}

export interface DbrpRow {
  id: string
  org_id: string
  bucket_id: string
  database_name: string
  retention_policy: string
  /** 0 or 1. */
  is_default: number
}

/** Resources that are a name and a body; see records.ts. */
export interface RecordRow {
  id: string
  kind: string
  org_id: string
  parent_id: string
  owner_id: string | null
  name: string
  /** null: the name need not be unique. */
  unique_name: string | null
  /** JSON. */
  body: string
  created_at: string
  updated_at: string
}

export interface LabelMappingRow {
  resource_id: string
  label_id: string
}

export interface MembershipRow {
  resource_type: string
  resource_id: string
  user_id: string
  role: string
}

/** Deleted buckets whose points the store may still hold. */
export interface BucketDropRow {
  bucket_id: string
}

/** How often rows of a table, or records of a kind, were changed. */
export interface VersionRow {
  kind: string
  version: number
}

/** Runs of tasks: all that have not ended, and of each task the last that have. */
export interface TaskRunRow {
  id: string
  task_id: string
  org_id: string
  /** What it is a run of: `task`, `check`, `rule` or `continuous-query`. */
  kind: string
  /** Of runs for the same moment the one with the smaller number is begun first. */
  order_number: number
  scheduled_for: string
  /** Not to be begun before. */
  due_at: string
  status: string
  requested_at: string | null
  started_at: string | null
  finished_at: string | null
  /** The process that has claimed it; empty: none. */
  holder: string
  attempt: number
  /** 1: somebody wants it stopped. */
  is_canceled: number
  /** 1: it is in the bucket of ended runs. */
  is_recorded: number
  /** The backfill that it is part of; empty: none. */
  backfill_id: string
  /** JSON: log, error, figures. */
  detail: string
  created_at: string
}

/** What runs have left behind about their task. */
export interface TaskStateRow {
  task_id: string
  latest_scheduled: string | null
  latest_completed: string | null
  latest_success: string | null
  latest_failure: string | null
  last_run_status: string | null
  last_run_error: string | null
}

/** Processes that execute runs. One whose time is over has lost what it claimed. */
export interface TaskRunnerRow {
  id: string
  beat_at: string
  until: string
}

/** Spans of the past that a task is run for; see backfills.ts. */
export interface BackfillRow {
  id: string
  task_id: string
  org_id: string
  status: string
  start: string
  stop: string
  /** JSON: the task's schedule when it was asked for. */
  schedule: string
  /** Runs under way at once. */
  concurrency: number
  /** The first boundary that has no run yet; null: all have. */
  next: string | null
  total: number
  /** Runs that were made. */
  made: number
  succeeded: number
  failed: number
  last_error: string
  created_at: string
  updated_at: string
}

/** See late-marks.ts. */
export interface LateMarkRow {
  task_id: string
  /** Nanoseconds since 1970. */
  seen_at: string
  is_closed: number
}

/** What notification rules remember; see alert-states.ts. */
export interface RuleStateRow {
  rule_id: string
  /** Empty: of the rule itself. */
  check_id: string
  /** JSON. */
  body: string
}

/** Messages that wait for delivery. */
export interface OutboxRow {
  id: string
  org_id: string
  rule_id: string
  endpoint_id: string
  order_key: string
  /** Sorts by time of arrival. */
  position: string
  /** JSON. */
  body: string
  attempts: number
  due_at: string
  /** Until then `holder` delivers it; empty: nobody does. */
  leased_until: string
  /** A process, by an id of its own; empty: none. */
  holder: string
}

/** Processes that share the catalog. */
export interface NodeRow {
  id: string
  /** Where others reach it; empty: nowhere yet. */
  url: string
  program_version: string
  started_at: string
  /** The sum of all versions that it has seen: it caches nothing from before. */
  seen_change: number
  /** Until then it may answer from what it cached, even if it cannot reach the catalog. */
  lease_until: string
  /** Another one for each: ids that it gives out begin with it. Null: the process is older than these numbers. */
  number: number | null
}

/** What one process asks all others; see node-questions.ts. */
export interface NodeQuestionRow {
  id: string
  kind: string
  /** JSON. */
  body: string
  asked_at: string
}

export interface NodeAnswerRow {
  question_id: string
  node_id: string
  /** JSON. */
  body: string
}

/** What organizations used, of all processes and since the first day that is kept. */
export interface TokenUseRow {
  token_id: string
  /** Minutes since 1970: of its last use. */
  minute: number
}

export interface UsageHourRow {
  org_id: string
  /** Empty: of no single bucket. */
  bucket_id: string
  endpoint: string
  /** Hours since 1970. */
  hour: number
  requests: number
  bytes: number
}

/** What is left of an organization's rate limit for all processes together; see shared-credits.ts. */
export interface RateCreditRow {
  org_id: string
  kind: string
  per_second: number
  credit: number
  /** Seconds since 1970. */
  filled_at: number
  /** As it was last used. */
  credit_max: number
  amount: number
}

/** Measurements of a store that keeps its registry here; see store-registry.ts. */
export interface StoreMeasurementRow {
  number: number
  bucket_id: string
  /** The name, or where it is long a hash of it. */
  name_key: string
  name: string
  span_class: number
  version: number
  /** JSON, the store's own. */
  body: string
}

export interface StoreSpanRow {
  number: number
  span: number
  /** JSON: names of fields. */
  fields: string
  /** Of the measurement when this was last told. */
  generation: number
}

/** Rises with every round in which emptied series leave the index of a measurement; absent: 0. */
export interface StoreGenerationRow {
  number: number
  generation: number
}

/** Deletes of which nobody has yet looked which series and fields they have emptied. */
export interface StoreEmptiedRow {
  number: number
  bucket_id: string
  deletes: number
}

/** Numbers of measurements that are gone. 1: so are their rows. */
export interface StoreRetiredRow {
  number: number
  retired_at: string
  is_done: number
}

/** Work on the store that one process does at a time. */
export interface StoreLeaseRow {
  name: string
  holder: string
  until: string
}

/** Replicas of a store elsewhere, and which of them have every point that was acknowledged; see store-replicas.ts. */
export interface StoreReplicaRow {
  name: string
  shard: number
  state: 'in' | 'returning' | 'out'
  /** Rises with every change of the state. */
  turn: number
  /** In seconds: when its process began, as it was last found to have everything; null: nobody has told. */
  begun: number | null
}

/** What all processes of a store elsewhere must agree on: whoever was first has decided. */
export interface StoreFactRow {
  name: string
  value: string
}

export interface CatalogTables {
  organizations: OrganizationRow
  users: UserRow
  buckets: BucketRow
  tokens: TokenRow
  dbrps: DbrpRow
  records: RecordRow
  label_mappings: LabelMappingRow
  bucket_drops: BucketDropRow
  memberships: MembershipRow
  legacy_tokens: LegacyTokenRow
  sessions: SessionRow
  secrets: SecretRow
  limits: LimitsRow
  task_runs: TaskRunRow
  task_states: TaskStateRow
  task_runners: TaskRunnerRow
  backfills: BackfillRow
  late_marks: LateMarkRow
  rule_states: RuleStateRow
  outbox: OutboxRow
  versions: VersionRow
  nodes: NodeRow
  node_questions: NodeQuestionRow
  node_answers: NodeAnswerRow
  usage_hours: UsageHourRow
  token_uses: TokenUseRow
  rate_credits: RateCreditRow
  store_measurements: StoreMeasurementRow
  store_spans: StoreSpanRow
  store_generations: StoreGenerationRow
  store_emptied: StoreEmptiedRow
  store_retired: StoreRetiredRow
  store_leases: StoreLeaseRow
  store_replicas: StoreReplicaRow
  store_facts: StoreFactRow
}
