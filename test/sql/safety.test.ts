// No statement reaches beyond the tables of its database: not files, not extensions, not settings, not what
// DuckDB tells about itself, not what another statement loaded. How refusals are worded stands in the corpus
// (corpus/sql/errors.test).

import { afterAll, beforeAll, expect, test } from 'vitest'
import { UserError } from '../../src/errors.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import { ask, openTestStore, testScope } from './run-sql.js'

let store: Engine

beforeAll(async () => {
  store = await openTestStore()
})

afterAll(() => store.close())

test('a statement that is too long is refused before it is taken apart', async () => {
  const text = `SELECT 1 IN (${'1,'.repeat(150_000)}1)`
  await expect(ask(text, testScope({ store }))).rejects.toThrow('at most 262144 characters')
})

const refused: readonly string[] = [
  "SELECT * FROM read_csv('/etc/passwd')",
  "SELECT * FROM read_text('/etc/passwd')",
  "SELECT * FROM read_blob('/etc/passwd')",
  "SELECT * FROM read_parquet('x.parquet')",
  "SELECT * FROM read_json('x.json')",
  "SELECT * FROM glob('/*')",
  "SELECT * FROM '/etc/passwd'",
  'SELECT * FROM "/etc/passwd"',
  "SELECT * FROM 'https://example.com/x.csv'",
  'SELECT * FROM duckdb_settings()',
  'SELECT * FROM duckdb_tables()',
  'SELECT * FROM duckdb_secrets()',
  'SELECT * FROM duckdb_logs',
  'SELECT * FROM pragma_version()',
  "SELECT * FROM query('SELECT 1')",
  "SELECT * FROM query_table('home')",
  "SELECT * FROM sniff_csv('/etc/passwd')",
  "SELECT * FROM json_execute_serialized_sql('{}')",
  'SELECT * FROM sqlite_master',
  'SELECT * FROM pg_catalog.pg_class',
  'SELECT * FROM main.mr_t0',
  'SELECT * FROM temp.mr_t0',
  'SELECT * FROM memory.main.x',
  'SELECT * FROM mr_t0',
  'SELECT * FROM system.queries',
  'SELECT * FROM information_schema.key_column_usage',
  "SELECT getenv('HOME')",
  "SELECT current_setting('memory_limit')",
  "SELECT getvariable('x')",
  'SELECT current_query()',
  'SELECT current_database()',
  "SELECT json_serialize_sql('SELECT 1')",
  "SELECT write_log('x')",
  'SELECT pg_sleep(100)',
  'SELECT sleep_ms(100000)',
  "SELECT nextval('s')",
  'SELECT mr_to_timestamp(1)',
  'SELECT * FROM mr_source(0)',
  "SELECT main.getenv('HOME')",
  'SELECT COLUMNS(*) FROM home',
  'SELECT * FROM home TABLESAMPLE 10%',
  'FROM home',
  'SUMMARIZE home',
  'PIVOT home ON room USING avg(temp)',
  'CALL pragma_version()',
  'PRAGMA database_list',
  "SET memory_limit = '100GB'",
  'RESET memory_limit',
  'INSTALL httpfs',
  'LOAD httpfs',
  "ATTACH '/tmp/x.db' AS x",
  'DETACH memory',
  'USE memory',
  "COPY home TO '/tmp/x.csv'",
  "COPY (SELECT 1) TO '/tmp/x.csv'",
  "EXPORT DATABASE '/tmp/x'",
  "IMPORT DATABASE '/tmp/x'",
  'CREATE TABLE x (a INT)',
  'CREATE TEMP TABLE x AS SELECT 1',
  'CREATE SECRET x (TYPE s3)',
  'CREATE MACRO f(x) AS x',
  'DROP TABLE home',
  'ALTER TABLE home ADD COLUMN x INT',
  'INSERT INTO home VALUES (1)',
  'UPDATE home SET temp = 1',
  'DELETE FROM home',
  'TRUNCATE home',
  'MERGE INTO home USING home ON true WHEN MATCHED THEN DELETE',
  'VACUUM',
  'CHECKPOINT',
  'BEGIN',
  'PREPARE p AS SELECT 1',
  'EXECUTE p',
  'DEALLOCATE p',
  'EXPLAIN DROP TABLE home',
  'EXPLAIN ANALYZE DELETE FROM home',
  'SELECT 1; DROP TABLE home',
  'WITH x AS (DELETE FROM home RETURNING *) SELECT * FROM x',
  'WITH x AS (SELECT 1) INSERT INTO home SELECT * FROM x',
  "SELECT (SELECT content FROM read_text('/etc/passwd'))",
  'SELECT * FROM home WHERE room IN (SELECT name FROM duckdb_settings())',
  "SELECT repeat('a', 1000000000)",
  "SELECT lpad('a', 1000000000, 'b')",
  'SELECT range(0, 1000000000)',
  `SELECT ${Array(300).fill('room').join(' || ')} FROM home`,
  'SHOW DATABASES',
  'SHOW memory_limit',
  '',
  ';',
  '/* nothing',
  "SELECT 'open",
]

test.each(refused)('refused: %.80s', async (text) => {
  const scope = testScope({ store })
  await expect(ask(text, scope)).rejects.toBeInstanceOf(UserError)
})

test('a statement does not see what the one before it loaded', async () => {
  const scope = testScope({ store })
  await ask('SELECT * FROM home', scope)
  await expect(ask('SELECT * FROM mr_t0', scope)).rejects.toMatchObject({ code: 'not found' })
  const again = await ask('SELECT count(*) AS n FROM home', scope)
  expect(again).toEqual(['n', '6'])
})
