// Benchmarks cannot rot: each runs here at its small size, and its answers must be the known ones. Nothing is timed.
// The large sizes are for `npm run bench`.

import { expect, test } from 'vitest'
import { run as annotatedCsv } from '../bench/annotated-csv.bench.js'
import { run as catalog } from '../bench/catalog.bench.js'
import { run as decode } from '../bench/decode.bench.js'
import { run as deletes } from '../bench/deletes.bench.js'
import { run as flight } from '../bench/flight.bench.js'
import { run as flux } from '../bench/flux.bench.js'
import { run as ingestShapes } from '../bench/ingest-shapes.bench.js'
import { run as languages } from '../bench/languages.bench.js'
import { run as lineProtocol } from '../bench/line-protocol.bench.js'
import { run as migrate } from '../bench/migrate.bench.js'
import { run as overload } from '../bench/overload.bench.js'
import { run as result } from '../bench/result.bench.js'
import { run as rows } from '../bench/rows.bench.js'
import { run as schemaQuestions } from '../bench/schema-questions.bench.js'
import { run as series } from '../bench/series.bench.js'
import { run as sql } from '../bench/sql.bench.js'
import { run as sqlBursts } from '../bench/sql-bursts.bench.js'
import { run as store } from '../bench/store.bench.js'
import { run as tasks } from '../bench/tasks.bench.js'
import { run as threads } from '../bench/threads.bench.js'

test('line protocol', async () => {
  expect((await lineProtocol('small')).check).toBe('1000 rows, digest d880f4af')
})

test('ingest shapes', async () => {
  // The shapes write over each other's points: what counts is that all of them are taken.
  expect((await ingestShapes('small')).check).toMatch(/^\d+ rows$/)
})

test('rows', async () => {
  expect((await rows('small')).check).toMatchInlineSnapshot(`
    "newest 20 20
    oldest 500 500
    last of each 30
    last and another 30
    ten seconds of all 30
    count of a state 1
    state by pattern 1
    one message 1
    best of each 10"
  `)
})

test('store', async () => {
  const { check } = await store('small')
  expect(check).toMatchInlineSnapshot(
    `"scan 1000 rows, 1026, means 20 windows, 9669.100000, one 50 rows, 3775"`,
  )
})

test('decode', async () => {
  expect((await decode('small')).check).toMatchInlineSnapshot(`
    "decimal 24 windows 681.99120
    precise 24 windows 681.99097
    gauge 24 windows 775.82387
    counter 24 windows 1.1795880e+9
    wide 24 windows 5.0509389e+17
    boolean 24 windows 6000.0000
    string 24 windows 6000.0000
    jittered 24 windows 681.99120
    missing 24 windows 682.39579
    shortSeries 24 windows 919.97125
    shortJittered 24 windows 919.97125"
  `)
})

test('series', async () => {
  expect((await series('small')).check).toBe('10000 series')
})

test('deletes', async () => {
  expect((await deletes('small')).check).toMatch(/^\d+ of 16000 rows left$/)
})

test('schema questions', async () => {
  expect((await schemaQuestions('small')).check).toBe('20 answers')
})

test('catalog', async () => {
  expect((await catalog('small')).check).toBe('53 buckets, 101 tokens, 12254 bytes a list')
})

test('result', async () => {
  expect((await result('small')).check).toMatchInlineSnapshot(
    `"10000 rows, 1641353 bytes, as JSON.stringify"`,
  )
})

test('annotated CSV', async () => {
  expect((await annotatedCsv('small')).check).toMatchInlineSnapshot(
    `"5000 rows, 538773, 54553 and 188510 bytes"`,
  )
})

test('Flux', async () => {
  expect((await flux('small')).check).toMatchInlineSnapshot(`
    "read 100 tables, 2000 rows, 98000.0
    mapInt 100 tables, 2000 rows, 2807500.0
    mapCondition 100 tables, 2000 rows, 4561.0
    mapRecord 100 tables, 2000 rows, 9800.0
    mapCall 100 tables, 2000 rows, 11599.0
    filter 1 tables, 964 rows, 71630.4
    groupReduce 10 tables, 10 rows, 986.3
    windows 100 tables, 400 rows, 39586.7
    windowsOfHours 100 tables, 100 rows, 18473.2
    pivot 10 tables, 200 rows, 30500.0
    pivotUngrouped 1 tables, 200 rows, 30500.0
    joinInner 1 tables, 200 rows, 15300.0
    joinOld 1 tables, 200 rows, 15300.0
    mapFloat 100 tables, 2000 rows, 198000.0
    mapFloatOff 100 tables, 2000 rows, 198000.0
    keep 100 tables, 2000 rows, 98000.0
    keepOff 100 tables, 2000 rows, 98000.0
    keepTimes 100 tables, 2000 rows, 0.0
    keepTimesOff 100 tables, 2000 rows, 0.0
    keepTag 10 tables, 2000 rows, 0.0
    keepTagOff 10 tables, 2000 rows, 0.0
    keepWindows 100 tables, 400 rows, 19793.3
    keepWindowsOff 100 tables, 400 rows, 19793.3
    keepWindowsOfHours 100 tables, 100 rows, 4900.0
    keepWindowsOfHoursOff 100 tables, 100 rows, 4900.0
    mapWindows 100 tables, 400 rows, 39986.7
    mapWindowsOff 100 tables, 400 rows, 39986.7
    keepMany 20 tables, 60 rows, 3600.0
    keepManyOff 20 tables, 60 rows, 3600.0
    mapMany 20 tables, 60 rows, 7260.0
    mapManyOff 20 tables, 60 rows, 7260.0
    sortLimit 100 tables, 1000 rows, 26132.0
    sortLimitOff 100 tables, 1000 rows, 26132.0
    splitWindows 100 tables, 100 rows, 4900.0
    splitWindowsOff 100 tables, 100 rows, 4900.0"
  `)
})

test('SQL', async () => {
  expect((await sql('small')).check).toMatchInlineSnapshot(`
    "sql 200 rows, 32042.311
    row by row 200 rows, 32042.311
    influxql 200 rows, 32042.311
    search 9 rows, 895.500"
  `)
})

test('SQL in bursts', async () => {
  expect((await sqlBursts('small')).check).toBe('24 answers, 48 rows')
})

test('languages', async () => {
  expect((await languages('small')).check).toMatchInlineSnapshot(`
    "one host by minute 20
    mean by host and hour 16
    high values 0
    one host raw 1440
    last by host 8
    derivative of one host 19 or 18
    computed columns 1440
    join on time 240
    max by region, grouped 8
    sum by region, reduced 8"
  `)
})

test('flight', async () => {
  expect((await flight('small')).check).toBe('10000 rows, 49995000')
})

test('tasks', async () => {
  // Three rounds of ten: two windows of each of ten hosts, and a status of each of a hundred hosts by its usage.
  const check = 'tasks points 600; checks crit 270, ok 2130, warn 600'
  expect((await tasks('small')).check).toBe(check)
})

test('threads', async () => {
  expect((await threads('small')).check).toBe('1000 rows')
})

test('overload', async () => {
  expect((await overload('small')).check).toBe('other answers: none')
})

test('migrate', async () => {
  const { check } = await migrate('small')
  expect(['1000 rows from the folder, 1000 from lines', 'influxd is not installed']).toContain(
    check,
  )
})
