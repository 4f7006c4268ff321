// The tables of a catalog that is made today: what all migrations together come to in SQLite, as one script. To run
// them one by one, through a builder of statements, is 37 ms of the first start in a folder; this is 6. A test makes
// both and compares them (`new-tables.test.ts`): who adds a migration changes the tables here too.

import { rowTriggers } from '../../platform/sqlite.js'
import { countingStatement } from './counted-changes.js'

/** Of a database with nothing in it. `migrations`: the names of those that need not be run any more. */
export function newTablesScript(migrations: readonly string[]): string {
  const triggers = countedTables.flatMap((table) =>
    rowTriggers(table, countingStatement(table, table === 'records' ? 'kind' : undefined)),
  )
  const done = JSON.stringify(migrations)
  return `${tables}
${triggers.join(';\n')};
INSERT INTO kysely_migration SELECT value, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM json_each('${done}');
INSERT INTO kysely_migration_lock (id, is_locked) VALUES ('migration_lock', 0);`
}

const countedTables = [
  'organizations',
  'users',
  'tokens',
  'legacy_tokens',
  'memberships',
  'limits',
  'secrets',
  'buckets',
  'dbrps',
  'label_mappings',
  'records',
  'store_retired',
  'sessions',
  'store_replicas',
  'store_generations',
]

const tables = `
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key,
  "is_locked" integer default 0 not null);
CREATE TABLE "organizations" ("id" varchar(16) primary key, "name" text not null unique,
  "description" text not null, "status" text not null, "created_at" text not null, "updated_at" text not null);
CREATE TABLE "users" ("id" varchar(16) primary key, "name" text not null unique, "status" text not null,
  "password_hash" text, "created_at" text not null, "updated_at" text not null);
CREATE TABLE "buckets" ("id" varchar(16) primary key, "org_id" varchar(16) not null, "name" text not null,
  "description" text not null, "type" text not null, "schema_type" text not null,
  "retention_seconds" bigint not null, "created_at" text not null, "updated_at" text not null,
  constraint "buckets_by_name" unique ("org_id", "name"));
CREATE TABLE "tokens" ("id" varchar(16) primary key, "token_hash" varchar(64) not null unique, "org_id" varchar(16),
  "user_id" varchar(16), "description" text not null, "status" text not null, "permissions" text not null,
  "created_at" text not null, "updated_at" text not null, "creator_id" varchar(16));
CREATE TABLE "dbrps" ("id" varchar(16) primary key, "org_id" varchar(16) not null, "bucket_id" varchar(16) not null,
  "database_name" text not null, "retention_policy" text not null, "is_default" integer not null,
  constraint "dbrps_by_policy" unique ("org_id", "database_name", "retention_policy"));
CREATE TABLE "records" ("id" varchar(16) primary key, "kind" text not null, "org_id" varchar(16) not null,
  "parent_id" varchar(16) not null, "owner_id" varchar(16), "name" text not null, "unique_name" text,
  "body" text not null, "created_at" text not null, "updated_at" text not null,
  constraint "records_by_name" unique ("kind", "org_id", "parent_id", "unique_name"));
CREATE INDEX "records_by_organization" on "records" ("kind", "org_id", "created_at");
CREATE TABLE "label_mappings" ("resource_id" varchar(16) not null, "label_id" varchar(16) not null,
  constraint "label_mappings_key" primary key ("resource_id", "label_id"));
CREATE TABLE "memberships" ("resource_type" text not null, "resource_id" varchar(16) not null,
  "user_id" varchar(16) not null, "role" text not null, constraint "memberships_key" primary key ("resource_id",
  "user_id"));
CREATE TABLE "legacy_tokens" ("id" varchar(16) primary key, "username" text not null unique, "password_hash" text,
  "org_id" varchar(16) not null, "user_id" varchar(16), "creator_id" varchar(16), "description" text not null,
  "status" text not null, "permissions" text not null, "created_at" text not null, "updated_at" text not null);
CREATE TABLE "sessions" ("key_hash" varchar(64) primary key, "user_id" varchar(16) not null,
  "created_at" text not null, "expires_at" text not null, "ends_at" text not null);
CREATE TABLE "secrets" ("org_id" varchar(16) not null, "name" text not null, "value" text not null,
  constraint "secrets_key" primary key ("org_id", "name"));
CREATE TABLE "limits" ("org_id" varchar(16) primary key, "body" text not null, "updated_at" text not null);
CREATE TABLE "bucket_drops" ("bucket_id" varchar(16) primary key);
CREATE INDEX "buckets_in_order" on "buckets" ("org_id", "created_at", "id");
CREATE TABLE "versions" ("kind" varchar(64) primary key, "version" bigint not null);
CREATE TABLE "task_runs" ("id" varchar(16) primary key, "task_id" varchar(16) not null,
  "org_id" varchar(16) not null, "kind" text not null, "order_number" integer not null,
  "scheduled_for" text not null, "due_at" text not null, "status" text not null, "requested_at" text,
  "started_at" text, "finished_at" text, "holder" varchar(16) not null, "attempt" integer not null,
  "is_canceled" integer not null, "is_recorded" integer not null, "backfill_id" varchar(16) not null,
  "detail" text not null, "created_at" text not null);
CREATE INDEX "task_runs_to_claim" on "task_runs" ("status", "holder", "scheduled_for", "order_number", "id");
CREATE INDEX "task_runs_of_task" on "task_runs" ("task_id", "status", "scheduled_for", "id");
CREATE TABLE "task_states" ("task_id" varchar(16) primary key, "latest_scheduled" text, "latest_completed" text,
  "latest_success" text, "latest_failure" text, "last_run_status" text, "last_run_error" text);
CREATE TABLE "task_runners" ("id" varchar(16) primary key, "beat_at" text not null, "until" text not null);
CREATE TABLE "rule_states" ("rule_id" varchar(16) not null, "check_id" varchar(16) not null, "body" text not null,
  constraint "rule_states_key" primary key ("rule_id", "check_id"));
CREATE TABLE "outbox" ("id" varchar(16) primary key, "org_id" varchar(16) not null, "rule_id" varchar(16) not null,
  "endpoint_id" varchar(16) not null, "order_key" varchar(64) not null, "position" text not null,
  "body" text not null, "attempts" integer not null, "due_at" text not null, "leased_until" text not null,
  "holder" varchar(16) default '' not null);
CREATE INDEX "outbox_in_order" on "outbox" ("order_key", "position");
CREATE TABLE "backfills" ("id" varchar(16) primary key, "task_id" varchar(16) not null,
  "org_id" varchar(16) not null, "status" varchar(16) not null, "start" text not null, "stop" text not null,
  "schedule" text not null, "concurrency" integer not null, "next" text, "total" integer not null,
  "made" integer not null, "succeeded" integer not null, "failed" integer not null, "last_error" text not null,
  "created_at" text not null, "updated_at" text not null);
CREATE INDEX "backfills_of_task" on "backfills" ("task_id", "created_at");
CREATE INDEX "backfills_by_status" on "backfills" ("status");
CREATE TABLE "late_marks" ("task_id" varchar(16) primary key, "seen_at" text not null,
  "is_closed" integer not null);
CREATE TABLE "nodes" ("id" varchar(64) primary key, "url" text not null, "program_version" text not null,
  "started_at" text not null, "seen_change" bigint not null, "lease_until" text not null, "number" integer);
CREATE TABLE "store_measurements" ("number" integer primary key, "bucket_id" varchar(16) not null,
  "name_key" text not null, "name" text not null, "span_class" integer not null, "version" integer not null,
  "body" text not null, constraint "store_measurements_by_name" unique ("bucket_id", "name_key"));
CREATE TABLE "store_spans" ("number" integer not null, "span" bigint not null, "fields" text not null,
  "generation" integer default 0 not null, constraint "store_spans_key" primary key ("number", "span"));
CREATE TABLE "store_retired" ("number" integer primary key, "retired_at" text not null, "is_done" integer not null);
CREATE TABLE "store_leases" ("name" varchar(64) primary key, "holder" varchar(64) not null, "until" text not null);
CREATE TABLE "store_replicas" ("name" varchar(255) primary key, "shard" integer not null,
  "state" varchar(16) not null, "turn" integer not null, "begun" bigint);
CREATE TABLE "store_facts" ("name" varchar(64) primary key, "value" text not null);
CREATE UNIQUE INDEX "nodes_by_number" on "nodes" ("number");
CREATE TABLE "node_questions" ("id" varchar(16) primary key, "kind" varchar(64) not null, "body" text not null,
  "asked_at" text not null);
CREATE TABLE "node_answers" ("question_id" varchar(16) not null references "node_questions" ("id") on delete cascade,
  "node_id" varchar(64) not null, "body" text not null, constraint "node_answers_key" primary key ("question_id",
  "node_id"));
CREATE TABLE "usage_hours" ("org_id" varchar(16) not null, "bucket_id" varchar(16) not null,
  "endpoint" varchar(16) not null, "hour" integer not null, "requests" bigint not null, "bytes" bigint not null,
  constraint "usage_hours_key" primary key ("org_id", "bucket_id", "endpoint", "hour"));
CREATE TABLE "rate_credits" ("org_id" varchar(16) not null, "kind" varchar(16) not null,
  "per_second" double precision not null, "credit" double precision not null, "filled_at" double precision not null,
  "credit_max" double precision not null, "amount" double precision not null,
  constraint "rate_credits_key" primary key ("org_id", "kind"));
CREATE TABLE "store_generations" ("number" integer primary key, "generation" integer not null);
CREATE TABLE "store_emptied" ("number" integer primary key, "bucket_id" varchar(16) not null,
  "deletes" integer not null);
CREATE TABLE "token_uses" ("token_id" varchar(16) primary key, "minute" integer not null);`
