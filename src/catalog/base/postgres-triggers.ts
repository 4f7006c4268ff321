// Triggers of PostgreSQL that do something with every row that is changed, and tell whoever listens that something was:
// in the transaction of the change, so that no way of changing a row can forget it.

/** Every change is told here; the payload says nothing that the versions do not. */
export const changesChannel = 'millrace_catalog'

/** Statements that make `work` be done with every row inserted, updated or deleted; it is given the row's name. */
export function postgresRowTriggers(table: string, work: (row: string) => string): string[] {
  const name = `${table}_changed`
  const tell = `PERFORM pg_notify('${changesChannel}', '')`
  const body = (row: string) => `${work(row)}; ${tell}; RETURN NULL;`
  return [
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP = 'DELETE' THEN ${body('OLD')} ELSE ${body('NEW')} END IF; END $$`,
    `CREATE TRIGGER ${name} AFTER INSERT OR UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  ]
}
