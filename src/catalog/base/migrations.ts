// Every change of the catalog's tables since the first day, in order. A migration that was released
// is never edited: installations remember by name which ones they ran. Only Kysely's portable
// schema builder is used, and triggers of `dialect.ts`. The version before must be able to go on with the tables as
// they are then, or the name says that it cannot: see `migrate.ts`.

import { type Kysely, type Migration, sql } from 'kysely'
import { countChanges } from './dialect.js'

// Migrations see the tables as they were in their day, never as `tables.ts` has them now: hence
// `unknown`.
type AnyTables = Kysely<unknown>

/** Of 0006: each has a version of its own. */
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
]

export const migrations: Readonly<Record<string, Migration>> = {
  '0001_organizations_users_buckets_tokens_dbrps': {
    async up(db: AnyTables) {
      await db.schema
        .createTable('organizations')
        .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('description', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('users')
        .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
        .addColumn('name', 'text', (column) => column.notNull().unique())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('password_hash', 'text')
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .execute()
      await createBuckets(db)
      await createTokens(db)
      await createDbrps(db)
    },
  },
  '0002_records_labels_memberships': {
    async up(db: AnyTables) {
      await createRecords(db)
      await db.schema
        .createTable('label_mappings')
        .addColumn('resource_id', 'varchar(16)', (column) => column.notNull())
        .addColumn('label_id', 'varchar(16)', (column) => column.notNull())
        .addPrimaryKeyConstraint('label_mappings_key', ['resource_id', 'label_id'])
        .execute()
      await db.schema
        .createTable('memberships')
        .addColumn('resource_type', 'text', (column) => column.notNull())
        .addColumn('resource_id', 'varchar(16)', (column) => column.notNull())
        .addColumn('user_id', 'varchar(16)', (column) => column.notNull())
        .addColumn('role', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('memberships_key', ['resource_id', 'user_id'])
        .execute()
    },
  },
  '0004_bucket_drops': {
    async up(db: AnyTables) {
      await db.schema
        .createTable('bucket_drops')
        .addColumn('bucket_id', 'varchar(16)', (column) => column.primaryKey())
        .execute()
    },
  },
  // A page of buckets is read in order, not sorted out of all that the organization has.
  '0005_buckets_in_order': {
    async up(db: AnyTables) {
      await db.schema
        .createIndex('buckets_in_order')
        .on('buckets')
        .columns(['org_id', 'created_at', 'id'])
        .execute()
    },
  },
  '0006_versions': {
    async up(db: AnyTables) {
      await db.schema
        .createTable('versions')
        .addColumn('kind', 'varchar(64)', (column) => column.primaryKey())
        .addColumn('version', 'bigint', (column) => column.notNull())
        .execute()
      for (const table of countedTables) await countChanges(db, table)
      await countChanges(db, 'records', 'kind')
    },
  },
  '0007_task_runs': {
    async up(db: AnyTables) {
      await createTaskRuns(db)
      await createTaskStates(db)
      await sql`DELETE FROM records WHERE kind = 'task-run'`.execute(db)
    },
  },
  '0008_alerts': {
    async up(db: AnyTables) {
      await createAlerts(db)
    },
  },
  '0009_backfills': {
    async up(db: AnyTables) {
      await createBackfills(db)
    },
  },
  // Which process is at a message: another must not end what it has lost.
  '0010_outbox_holders': {
    async up(db: AnyTables) {
      await db.schema
        .alterTable('outbox')
        .addColumn('holder', 'varchar(16)', (column) => column.notNull().defaultTo(''))
        .execute()
    },
  },
  '0011_late_marks': {
    async up(db: AnyTables) {
      await db.schema
        .createTable('late_marks')
        .addColumn('task_id', 'varchar(16)', (column) => column.primaryKey())
        .addColumn('seen_at', 'text', (column) => column.notNull())
        .addColumn('is_closed', 'integer', (column) => column.notNull())
        .execute()
    },
  },
  '0012_nodes': {
    async up(db: AnyTables) {
      await db.schema
        .createTable('nodes')
        .addColumn('id', 'varchar(64)', (column) => column.primaryKey())
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('program_version', 'text', (column) => column.notNull())
        .addColumn('started_at', 'text', (column) => column.notNull())
        .addColumn('seen_change', 'bigint', (column) => column.notNull())
        .addColumn('lease_until', 'text', (column) => column.notNull())
        .execute()
    },
  },
  // Only retired measurements are counted: others are looked up when they are met.
  '0013_store_registry': {
    async up(db: AnyTables) {
      await createStoreRegistry(db)
      await countChanges(db, 'store_retired')
    },
  },
  // Nobody caches sessions. They are counted so that one that has ended cannot come back: see `change-witness.ts`.
  '0014_sessions_counted': {
    async up(db: AnyTables) {
      await countChanges(db, 'sessions')
    },
  },
  '0015_store_replicas': {
    async up(db: AnyTables) {
      await db.schema
        .createTable('store_replicas')
        .addColumn('name', 'varchar(255)', (column) => column.primaryKey())
        .addColumn('shard', 'integer', (column) => column.notNull())
        .addColumn('state', 'varchar(16)', (column) => column.notNull())
        .addColumn('turn', 'integer', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('store_facts')
        .addColumn('name', 'varchar(64)', (column) => column.primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .execute()
      await countChanges(db, 'store_replicas')
    },
  },
  '0016_nodes_that_ask': {
    async up(db: AnyTables) {
      await createNodeQuestions(db)
      await createSharedFigures(db)
    },
  },
  // A process that knows no generations would take it for granted that the index still has the series it has told of.
  '0017_store_generations_for_all': {
    async up(db: AnyTables) {
      await db.schema
        .alterTable('store_spans')
        .addColumn('generation', 'integer', (column) => column.notNull().defaultTo(0))
        .execute()
      await db.schema
        .createTable('store_generations')
        .addColumn('number', 'integer', (column) => column.primaryKey())
        .addColumn('generation', 'integer', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('store_emptied')
        .addColumn('number', 'integer', (column) => column.primaryKey())
        .addColumn('bucket_id', 'varchar(16)', (column) => column.notNull())
        .addColumn('deletes', 'integer', (column) => column.notNull())
        .execute()
      await countChanges(db, 'store_generations')
    },
  },
  // When the process of a replica began that was found to have everything. Older versions find it out themselves.
  '0018_store_replicas_begun': {
    async up(db: AnyTables) {
      await db.schema.alterTable('store_replicas').addColumn('begun', 'bigint').execute()
    },
  },
  '0019_token_uses': {
    async up(db: AnyTables) {
      await db.schema
        .createTable('token_uses')
        .addColumn('token_id', 'varchar(16)', (column) => column.primaryKey())
        .addColumn('minute', 'integer', (column) => column.notNull())
        .execute()
    },
  },
  '0003_identities': {
    async up(db: AnyTables) {
      await db.schema.alterTable('tokens').addColumn('creator_id', 'varchar(16)').execute()
      await createLegacyTokens(db)
      await createIdentities(db)
    },
  },
}

/** Runs that were asked for before anything executed them are dropped: nobody waits for them any more. */
async function createTaskRuns(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('task_runs')
    .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('task_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('org_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('order_number', 'integer', (column) => column.notNull())
    .addColumn('scheduled_for', 'text', (column) => column.notNull())
    .addColumn('due_at', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('requested_at', 'text')
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .addColumn('holder', 'varchar(16)', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('is_canceled', 'integer', (column) => column.notNull())
    .addColumn('is_recorded', 'integer', (column) => column.notNull())
    .addColumn('backfill_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute()
  const claims = ['status', 'holder', 'scheduled_for', 'order_number', 'id']
  await db.schema.createIndex('task_runs_to_claim').on('task_runs').columns(claims).execute()
  const ofTask = ['task_id', 'status', 'scheduled_for', 'id']
  await db.schema.createIndex('task_runs_of_task').on('task_runs').columns(ofTask).execute()
}

async function createTaskStates(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('task_states')
    .addColumn('task_id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('latest_scheduled', 'text')
    .addColumn('latest_completed', 'text')
    .addColumn('latest_success', 'text')
    .addColumn('latest_failure', 'text')
    .addColumn('last_run_status', 'text')
    .addColumn('last_run_error', 'text')
    .execute()
  await db.schema
    .createTable('task_runners')
    .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('beat_at', 'text', (column) => column.notNull())
    .addColumn('until', 'text', (column) => column.notNull())
    .execute()
}

async function createBackfills(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('backfills')
    .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('task_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('org_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('status', 'varchar(16)', (column) => column.notNull())
    .addColumn('start', 'text', (column) => column.notNull())
    .addColumn('stop', 'text', (column) => column.notNull())
    .addColumn('schedule', 'text', (column) => column.notNull())
    .addColumn('concurrency', 'integer', (column) => column.notNull())
    .addColumn('next', 'text')
    .addColumn('total', 'integer', (column) => column.notNull())
    .addColumn('made', 'integer', (column) => column.notNull())
    .addColumn('succeeded', 'integer', (column) => column.notNull())
    .addColumn('failed', 'integer', (column) => column.notNull())
    .addColumn('last_error', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute()
  const ofTask = ['task_id', 'created_at']
  await db.schema.createIndex('backfills_of_task').on('backfills').columns(ofTask).execute()
  await db.schema.createIndex('backfills_by_status').on('backfills').column('status').execute()
}

async function createAlerts(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('rule_states')
    .addColumn('rule_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('check_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('rule_states_key', ['rule_id', 'check_id'])
    .execute()
  await db.schema
    .createTable('outbox')
    .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('org_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('rule_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('endpoint_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('order_key', 'varchar(64)', (column) => column.notNull())
    .addColumn('position', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('due_at', 'text', (column) => column.notNull())
    .addColumn('leased_until', 'text', (column) => column.notNull())
    .execute()
  const inOrder = ['order_key', 'position']
  await db.schema.createIndex('outbox_in_order').on('outbox').columns(inOrder).execute()
}

async function createStoreRegistry(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('store_measurements')
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('bucket_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('span_class', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addUniqueConstraint('store_measurements_by_name', ['bucket_id', 'name_key'])
    .execute()
  await db.schema
    .createTable('store_spans')
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('span', 'bigint', (column) => column.notNull())
    .addColumn('fields', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('store_spans_key', ['number', 'span'])
    .execute()
  await db.schema
    .createTable('store_retired')
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('retired_at', 'text', (column) => column.notNull())
    .addColumn('is_done', 'integer', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('store_leases')
    .addColumn('name', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('holder', 'varchar(64)', (column) => column.notNull())
    .addColumn('until', 'text', (column) => column.notNull())
    .execute()
}

async function createRecords(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('records')
    .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('org_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('parent_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('owner_id', 'varchar(16)')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('unique_name', 'text')
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('records_by_name', ['kind', 'org_id', 'parent_id', 'unique_name'])
    .execute()
  await db.schema
    .createIndex('records_by_organization')
    .on('records')
    .columns(['kind', 'org_id', 'created_at'])
    .execute()
}

/** Processes of the version before know no numbers: theirs stay empty. */
async function createNodeQuestions(db: AnyTables): Promise<void> {
  await db.schema.alterTable('nodes').addColumn('number', 'integer').execute()
  await db.schema.createIndex('nodes_by_number').unique().on('nodes').column('number').execute()
  await db.schema
    .createTable('node_questions')
    .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('kind', 'varchar(64)', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('asked_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('node_answers')
    .addColumn('question_id', 'varchar(16)', (column) =>
      column.notNull().references('node_questions.id').onDelete('cascade'),
    )
    .addColumn('node_id', 'varchar(64)', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('node_answers_key', ['question_id', 'node_id'])
    .execute()
}

async function createSharedFigures(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('usage_hours')
    .addColumn('org_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('bucket_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('endpoint', 'varchar(16)', (column) => column.notNull())
    .addColumn('hour', 'integer', (column) => column.notNull())
    .addColumn('requests', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_hours_key', ['org_id', 'bucket_id', 'endpoint', 'hour'])
    .execute()
  await db.schema
    .createTable('rate_credits')
    .addColumn('org_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('kind', 'varchar(16)', (column) => column.notNull())
    .addColumn('per_second', 'double precision', (column) => column.notNull())
    .addColumn('credit', 'double precision', (column) => column.notNull())
    .addColumn('filled_at', 'double precision', (column) => column.notNull())
    .addColumn('credit_max', 'double precision', (column) => column.notNull())
    .addColumn('amount', 'double precision', (column) => column.notNull())
    .addPrimaryKeyConstraint('rate_credits_key', ['org_id', 'kind'])
    .execute()
}

async function createLegacyTokens(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('legacy_tokens')
    .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('username', 'text', (column) => column.notNull().unique())
    .addColumn('password_hash', 'text')
    .addColumn('org_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('user_id', 'varchar(16)')
    .addColumn('creator_id', 'varchar(16)')
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('permissions', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute()
}

async function createIdentities(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('key_hash', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('user_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('ends_at', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('secrets')
    .addColumn('org_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('secrets_key', ['org_id', 'name'])
    .execute()
  await db.schema
    .createTable('limits')
    .addColumn('org_id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute()
}

async function createBuckets(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('buckets')
    .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('org_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('schema_type', 'text', (column) => column.notNull())
    .addColumn('retention_seconds', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addUniqueConstraint('buckets_by_name', ['org_id', 'name'])
    .execute()
}

async function createTokens(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('tokens')
    .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('token_hash', 'varchar(64)', (column) => column.notNull().unique())
    .addColumn('org_id', 'varchar(16)')
    .addColumn('user_id', 'varchar(16)')
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('permissions', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute()
}

async function createDbrps(db: AnyTables): Promise<void> {
  await db.schema
    .createTable('dbrps')
    .addColumn('id', 'varchar(16)', (column) => column.primaryKey())
    .addColumn('org_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('bucket_id', 'varchar(16)', (column) => column.notNull())
    .addColumn('database_name', 'text', (column) => column.notNull())
    .addColumn('retention_policy', 'text', (column) => column.notNull())
    .addColumn('is_default', 'integer', (column) => column.notNull())
    .addUniqueConstraint('dbrps_by_policy', ['org_id', 'database_name', 'retention_policy'])
    .execute()
}
