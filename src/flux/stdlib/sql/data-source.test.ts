// Data sources as scripts write them: what each driver makes of them, and what is refused before anything is reached.
// The databases themselves are in test/flux/sql-*.test.ts.

import { describe, expect, test } from 'vitest'
import { targetOf } from './data-source.js'

function failure(driver: string, source: string): string {
  try {
    targetOf(driver, source, 'read')
  } catch (error) {
    return (error as Error).message.replace('failed to initialize execute state: ', '')
  }
  throw new Error('the source is good')
}

describe('drivers', () => {
  test('those without a client are refused by name', () => {
    for (const driver of [
      'awsathena',
      'bigquery',
      'hdb',
      'snowflake',
      'sqlserver',
      'mssql',
      'vertica',
      'vertigo',
    ]) {
      expect(failure(driver, 'x')).toBe(
        `sql driver ${driver} not supported: use mysql, postgres or sqlite3`,
      )
    }
    expect(failure('voltdb', 'blablabla')).toBe('sql driver voltdb not supported')
    expect(failure('voltdb', ' ')).toBe('invalid data source url: empty path supplied')
  })
})

describe('PostgreSQL', () => {
  test('a whole address', () => {
    const source =
      'postgresql://us%40er:p%3Aw@db.example.com:6543/my%20db?sslmode=verify-full&search_path=a'
    expect(targetOf('postgres', source, 'read')).toEqual({
      kind: 'postgres',
      host: 'db.example.com',
      port: 6543,
      user: 'us@er',
      password: 'p:w',
      database: 'my db',
      encryption: 'full',
      settings: new Map([['search_path', 'a']]),
    })
  })

  test('what is left out', () => {
    expect(targetOf('postgres', 'postgres://me@db', 'read')).toMatchObject({
      host: 'db',
      port: 5432,
      password: '',
      database: '',
      encryption: 'preferred',
    })
  })

  test('addresses that are none, and parameters that reach for files or other hosts', () => {
    const wanted =
      'invalid data source url: must be of the form postgres://user:password@host:port/database'
    expect(failure('postgres', 'host=localhost user=me')).toBe(wanted)
    expect(failure('postgres', 'mysql://a:b@c/d')).toBe(wanted)
    expect(failure('postgres', 'postgres://db/x')).toBe('invalid data source url: no user is named')
    expect(failure('postgres', 'postgres://a:b@c/d?sslmode=maybe')).toBe(
      'invalid data source url: sslmode is invalid',
    )
    for (const name of ['host', 'sslkey', 'sslrootcert', 'passfile', 'service']) {
      expect(failure('postgres', `postgres://a:b@c/d?${name}=/etc/passwd`)).toBe(
        `invalid data source url: parameter ${name} is not supported`,
      )
    }
  })
})

describe('MySQL', () => {
  test('a whole source', () => {
    const source =
      'us:er:p@ss/w@tcp([2001:db8::1]:3307)/my%20db?tls=skip-verify&parseTime=true&sql_mode=%27ANSI%27'
    expect(targetOf('mysql', source, 'read')).toEqual({
      kind: 'mysql',
      host: '2001:db8::1',
      port: 3307,
      user: 'us',
      password: 'er:p@ss/w',
      database: 'my db',
      encryption: 'unverified',
      areTablesNamed: false,
      settings: new Map([['sql_mode', "'ANSI'"]]),
    })
  })

  test('what is left out', () => {
    for (const source of ['/', 'tcp/', '@/', 'tcp()/']) {
      expect(targetOf('mysql', source, 'read')).toMatchObject({
        host: '127.0.0.1',
        port: 3306,
        user: '',
        database: '',
        encryption: 'none',
      })
    }
    expect(targetOf('mysql', 'tcp(db.example.com)/x', 'read')).toMatchObject({
      host: 'db.example.com',
    })
  })

  test('mistakes are told in the words of the driver', () => {
    const told = (source: string) =>
      failure('mysql', source).replace('invalid data source dsn: ', '')
    expect(told('blabla')).toBe('invalid DSN: missing the slash separating the database name')
    expect(told('a@tcp(b/c')).toBe(
      'invalid DSN: network address not terminated (missing closing brace)',
    )
    expect(told('a@tcp(b)x/c')).toBe('invalid DSN: did you forget to escape a param value?')
    expect(told('u:p@tcp(localhost:3306)/db?allowAllFiles=true')).toBe('may not set allowAllFiles')
    expect(told('u:p@unix(/run/mysqld/mysqld.sock)/db')).toBe("network 'unix' is not supported")
    expect(told('u:p@tcp(a)/db?tls=custom')).toBe('invalid value / unknown config name: tls')
    expect(told('u:p@tcp(a)/db?loc=Local')).toBe('loc: only UTC is supported')
    expect(told('u:p@tcp(a)/db?a%20=1;x=2')).toBe('invalid parameter a%20')
  })
})

describe('SQLite', () => {
  const pathOf = (source: string) => {
    const target = targetOf('sqlite3', source, 'read')
    return target.kind === 'sqlite' ? target.path : 'another kind'
  }

  test('names of files', () => {
    expect(pathOf('a.db')).toBe('a.db')
    expect(pathOf('a.db?_busy=1')).toBe('a.db')
    expect(pathOf('file:a%20b.db?cache=shared')).toBe('a b.db')
    expect(pathOf('file:/x/a.db')).toBe('/x/a.db')
    expect(pathOf('file:///x/a.db')).toBe('/x/a.db')
    expect(pathOf('file://localhost/x/a.db')).toBe('/x/a.db')
    expect(failure('sqlite3', 'file://elsewhere/x')).toBe(
      'invalid data source url: invalid uri authority: elsewhere',
    )
  })

  test('in memory', () => {
    for (const source of [
      ':memory:',
      'file::memory:',
      'file:x?mode=memory',
      'file::memory:?cache=shared',
    ]) {
      expect(pathOf(source)).toBeUndefined()
    }
  })

  test('who may change what', () => {
    const accessOf = (source: string, action: 'read' | 'write') => {
      const target = targetOf('sqlite3', source, action)
      return target.kind === 'sqlite' ? target.access : undefined
    }
    expect(accessOf('a.db', 'read')).toBe('read')
    expect(accessOf('a.db', 'write')).toBe('make')
    expect(accessOf('file:a.db?mode=rw', 'write')).toBe('change')
    expect(accessOf('file:a.db?mode=ro', 'write')).toBe('read')
  })
})
