// Wrong scripts and what is said about them, word by word and with the place; and scripts in which nothing
// is wrong. The words and places are those of Flux.

import { describe, expect, test } from 'vitest'
import { testLibrary } from '../../../test/flux/test-library.js'
import { parseFlux } from '../syntax/parser.js'
import { checkScript } from './check.js'
import { problemsText, problemText } from './problem.js'

function problemsOf(script: string): string[] {
  return checkScript(parseFlux(script), testLibrary).errors.map(problemText)
}

/** A script, and the mistakes in it without the word that all of them begin with. */
type Mistakes = readonly [script: string, ...problems: string[]]

function testMistakes(cases: readonly Mistakes[]): void {
  const named = cases.map(([script, ...problems]) => ({ script, problems }))
  test.each(named)('$script', ({ script, problems }) => {
    expect(problemsOf(script)).toEqual(problems.map((problem) => `error @${problem}`))
  })
}

describe('names', () => {
  testMistakes([
    ['foo', '1:1-1:4: undefined identifier foo'],
    ['x = bar', '1:5-1:8: undefined identifier bar'],
    ['x = x', '1:5-1:6: undefined identifier x'],
    ['f = () => g()\ng = () => 1', '1:11-1:12: undefined identifier g'],
    ['f = (a) => a\nx = f(a: a)', '2:10-2:11: undefined identifier a'],
    ['f = (a, b=a) => a', '1:11-1:12: undefined identifier a'],
    ['testcase t { x = 1 }\ny = x', '2:5-2:6: undefined identifier x'],
    ['import "nowhere"\nx = nowhere.y(a: 1)', '1:1-1:17: invalid import path nowhere'],
    ['import p "no/p"\nx = p.y + p.z', '1:1-1:16: invalid import path no/p'],
    ['import "strings"\nx = strings.toLower(v: "A")', '2:5-2:12: record is missing label toLower'],
    ['x = constructor', '1:5-1:16: undefined identifier constructor'],
    ['x = {}\ny = x.__proto__', '2:5-2:6: record is missing label __proto__'],
    ['return 1', '1:1-1:9: return not valid in file block'],
  ])

  test('what is not known is the same everywhere', () => {
    expect(problemsOf('x = y\nz = x + 1\nw = x + "a"')).toEqual([
      'error @1:5-1:6: undefined identifier y',
      'error @3:9-3:12: expected int but found string',
    ])
  })

  test('all of them are told, each with its place', () => {
    const { errors } = checkScript(parseFlux('a\nb'), testLibrary)
    expect(problemsText(errors)).toBe(
      'error @1:1-1:2: undefined identifier a\n\nerror @2:1-2:2: undefined identifier b',
    )
  })

  test('mistakes of syntax come first', () => {
    const [first, ...others] = problemsOf('x = ) 1\ny = z')
    expect(first).toContain('invalid')
    expect(others).toContain('error @2:5-2:6: undefined identifier z')
  })
})

describe('operators', () => {
  testMistakes([
    ['x = 1 + "a"', '1:9-1:12: expected int but found string'],
    ['x = 1.0 + 1', '1:11-1:12: expected float but found int'],
    ['x = (1) + ("a")', '1:12-1:15: expected int but found string'],
    ['x = 1h + 2h', '1:5-1:12: duration is not Addable'],
    ['x = "a" - "b"', '1:5-1:14: string is not Subtractable'],
    ['x = "a" % "b"', '1:5-1:14: string is not Divisible'],
    ['x = -"s"', '1:6-1:9: string is not Negatable'],
    ['x = not 1', '1:9-1:10: expected bool but found int'],
    [
      'x = 1 and "a"',
      '1:5-1:6: expected bool but found int',
      '1:11-1:14: expected bool but found string',
    ],
    ['x = if 1 then 2 else 3', '1:8-1:9: expected bool but found int'],
    ['x = if true then 2 else "b"', '1:25-1:28: expected int but found string'],
    ['x = /a/ == /b/', '1:5-1:8: regexp is not Equatable', '1:12-1:15: regexp is not Equatable'],
    ['x = true < false', '1:5-1:9: bool is not Comparable', '1:12-1:17: bool is not Comparable'],
    ['x = 1 <= {}', '1:10-1:12: {} (record) is not Comparable'],
    ['x = 1 =~ /a/', '1:5-1:6: expected string but found int'],
    ['x = "a" !~ "b"', '1:12-1:15: expected regexp but found string'],
    ['x = {a: /y/} == 1', '1:5-1:13: regexp is not Equatable'],
    [
      `x = "m: \${/a/} \${[1]}"`,
      '1:11-1:14: regexp is not Stringable',
      '1:18-1:21: [int] (array) is not Stringable',
    ],
    [
      `r = {a: 1, b: "x"}\ny = "n: \${r}"`,
      '2:11-2:12: {b: string, a: int} (record) is not Stringable',
    ],
  ])
})

describe('arrays, dictionaries and records', () => {
  testMistakes([
    ['x = [1, "2", 3.0]', '1:9-1:12: expected int but found string'],
    ['x = ["a": 1, 2: 3]', '1:14-1:15: expected string but found int'],
    ['x = [/a/: 1]', '1:5-1:13: regexp is not Comparable'],
    ['a = [1]\nx = a["k" + "l"]', '2:7-2:16: expected int but found string'],
    ['a = 1\nx = a[0]', '2:5-2:6: expected [A] (array) but found int'],
    ['a = [1, 2]\nx = a.b', '2:5-2:6: expected {A with b: B} (record) but found [int] (array)'],
    ['r = {a: 1}\nx = r.c', '2:5-2:6: record is missing label c'],
    [
      'r = {a: 1}\nx = [r.c, r["d e"]]',
      '2:6-2:7: record is missing label c',
      '2:11-2:12: record is missing label d e',
    ],
    [
      'x = [{a: 1}, {b: 1}]',
      '1:14-1:20: found unexpected label b',
      '1:14-1:20: record is missing label a',
    ],
    ['x = [{a: 1, b: 2}, {b: 3, a: "x"}]', '1:20-1:34: expected int but found string'],
    ['x = [{r: {s: 1}}, {r: {s: 1.0}}]', '1:19-1:32: expected int but found float'],
    ['x = [["a": 1], ["a": 1.0]]', '1:16-1:26: expected int but found float'],
    ['x = 1 + {}', '1:9-1:11: expected int but found {} (record)'],
    ['x = 1 + ((a) => a)', '1:10-1:18: expected int but found (a: A) => A (function)'],
    ['x = 1 + ["a": 2]', '1:9-1:17: expected int but found [string:int] (dictionary)'],
    [
      'x = string(v: {a: 1, b: 2.0, c: "", d: 1h, e: true})',
      '1:15-1:52: {\n    e: bool,\n    d: duration,\n    c: string,\n    b: float,\n    a: int,\n}' +
        ' (record) is not Basic (argument v)',
    ],
  ])
})

describe('calls', () => {
  testMistakes([
    ['from(bucket: 1)', '1:14-1:15: expected string but found int (argument bucket)'],
    [
      'from(bukcet: "a")',
      '1:14-1:17: found unexpected argument bukcet (Expected one of `bucket` or `bucketID`)',
    ],
    ['length(arr: [1], n: 1)', '1:21-1:22: found unexpected argument n'],
    ['from(bucket: "a") |> limit()', '1:22-1:29: missing required argument n'],
    ['from(bucket: "a") |> limit(n: "3")', '1:31-1:34: expected int but found string (argument n)'],
    [
      'from(bucket: "a") |> limit(m: 3)',
      '1:31-1:32: found unexpected argument m (Expected one of `n` or `offset`)',
      '1:22-1:33: missing required argument n',
    ],
    [
      'f = (a, b, c=1) => a\nx = f(d: 1, e: 2)',
      '2:10-2:11: found unexpected argument d (Expected one of `a`, `b` or `c`)',
      '2:16-2:17: found unexpected argument e (Expected one of `a`, `b` or `c`)',
      '2:5-2:18: missing required argument a',
      '2:5-2:18: missing required argument b',
    ],
    ['limit(n: 3)', '1:1-1:12: missing required argument tables'],
    ['1 |> limit(n: 3)', '1:6-1:17: expected stream[A] but found int (argument tables)'],
    ['1 |> length()', '1:6-1:14: missing pipe argument', '1:6-1:14: missing required argument arr'],
    ['f = (x=<-) => x\nf()', '2:1-2:4: missing required argument x'],
    ['f = (a, b) => a - b\nf(a: "x", b: "y")', '2:6-2:9: string is not Subtractable (argument a)'],
    ['f = (r) => r.a\nf(r: {b: 1})', '2:6-2:12: record is missing label a (argument r)'],
    [
      'f = (r) => r.a\nr = 1\nf(r)',
      '3:3-3:4: expected {A with a: B} (record) but found int (argument r)',
    ],
    ['f = 1\nf(a: 2)', '2:1-2:8: expected int but found (a: int) => A (function)'],
    ['g = (x) => x(x: x)', '1:12-1:19: recursive types not supported A != (x: A) => B'],
    [
      'h = (f) => 1 |> f()\nh(f: (x) => x)',
      '2:6-2:14: missing pipe argument (argument f)',
      '2:6-2:14: found unexpected argument x (argument f)',
    ],
    [
      'p = (x=<-) => x\nq = (y=<-) => y\nx = [p, q]',
      '3:9-3:10: expected pipe argument x but found y',
    ],
    ['x = string(v: [1])', '1:15-1:18: [int] (array) is not Basic (argument v)'],
    ['f = (a, b="x") => a + b + 1', '1:5-1:28: expected int but found string (argument b)'],
    [
      'f = (p) => ((x=1) => x + p)\nx = f(p: "a")',
      '2:10-2:13: expected int but found string (argument p)',
    ],
    ['f = (x) => x\ny = f(x: 1) + f(x: "a")', '2:15-2:24: expected int but found string'],
    [
      'a = (b) => b.c.d + b.c.e\nx = a(b: {c: {d: 1}})',
      '2:10-2:21: record is missing label e (argument b)',
    ],
  ])
})

describe('streams', () => {
  testMistakes([
    [
      'from(bucket: "b") |> filter(fn: (r) => 1)',
      '1:33-1:41: 123expected bool but found int for return type caused by expected bool but found int (argument fn)',
    ],
    [
      'from(bucket: "b") |> filter(fn: (row) => true)',
      '1:33-1:46: found unexpected argument row (Expected `r`) (argument fn)',
      '1:33-1:46: missing required argument r (argument fn)',
    ],
    [
      'from(bucket: "b") |> drop(fn: (column) => column + 1 == 2)',
      '1:31-1:58: expected string but found int (argument column) (argument fn)',
    ],
    [
      'from(bucket: "b") |> map(fn: (r) => ({a: r._value + 1.0, b: r._value + "a"}))',
      '1:53-1:56: expected string but found float',
    ],
    [
      'import "array"\narray.from(rows: [{a: 1}]) |> filter(fn: (r) => r.b == 1)',
      '2:31-2:58: record is missing label b (argument tables)',
    ],
    [
      'import "array"\nlength(arr: array.from(rows: [{}]))',
      '2:13-2:35: expected [{}] (array) but found stream[{}] (argument arr)',
    ],
    [
      'import "array"\ncontains(value: 1, set: array.from(rows: [{v: 1}]) |> map(fn: (r) => r.v))',
      '2:55-2:74: expected [int] (array) but found stream[int] (argument set)',
    ],
    [
      'import "array"\nx = array.from(rows: [{}])[0]',
      '2:5-2:27: expected [{}] (array) but found stream[{}]',
    ],
    [
      'from(bucket: b) |> range(start: s) |> limit(n: n)',
      '1:48-1:49: undefined identifier n',
      '1:33-1:34: undefined identifier s',
      '1:14-1:15: undefined identifier b',
    ],
    [
      'from(bucket: "b") |> relabel(column: "x" + "y")',
      '1:38-1:47: string is not Label (argument column)',
    ],
    [
      'import "array"\narray.from(rows: [{a: 1}]) |> relabel(column: .b)',
      '2:31-2:50: record is missing label b',
    ],
    [
      'import "array"\narray.from(rows: [{a: 1}]) |> relabel()',
      '2:31-2:40: record is missing label _value',
    ],
  ])
})

describe('options and assignments', () => {
  testMistakes([
    ['option now = 5', '1:14-1:15: expected () => time (function) but found int'],
    [
      'import "path/to/units"\noption units.factors = "x"',
      '2:24-2:27: expected [float] (array) but found string',
    ],
    [
      'import "path/to/units"\noption units.factors = [1]',
      '2:24-2:27: expected float but found int',
    ],
    [
      'import "path/to/units"\noption units.nothing = [1]',
      '2:8-2:13: record is missing label nothing',
    ],
    ['x = 1\nx = 2', '2:1-2:6: variable "x" reassigned'],
    ['f = (a) => {\n  a = 1\n  return a\n}', '2:3-2:8: variable "a" reassigned'],
    ['option a = 1\noption a = 2', '2:1-2:13: option "a" reassigned'],
    [
      'import "path/to/units"\noption units.factors = [1.0]\noption units.factors = [2.0]',
      '3:1-3:29: option "units.factors" reassigned',
    ],
    ['option a = 1\na = 2', '2:1-2:6: variable "a" conflicts with option of same name'],
    [
      'option a = 1\noption b = a + 1',
      '2:12-2:13: option "b" depends on option "a", which is defined in the same package',
    ],
    ['x = 1\nx = y', '2:1-2:6: variable "x" reassigned', '2:5-2:6: undefined identifier y'],
  ])
})

describe('the form of functions and signatures', () => {
  testMistakes([
    ['f = () => { x = 1 }', '1:13-1:18: missing return statement in block'],
    ['f = () => { }', '1:11-1:14: missing return statement in block'],
    ['f = () => { return 1 return 2 }', '1:13-1:21: invalid return statement in function block'],
    [
      'f = () => { option a = 1 return 2 }',
      '1:13-1:25: invalid option statement in function block',
    ],
    ['f = (a=<-, b=<-) => a', '1:14-1:16: function types can have at most one pipe parameter'],
    ['builtin x : (a: foo) => A', '1:17-1:20: invalid named type foo'],
    ['builtin x : (a: A) => A where A: Bar', '1:34-1:37: invalid constraint Bar'],
    ['builtin x : (a: {A with T: int}) => A', '1:1-1:38: variable T lacks the Label constraint'],
  ])
})

describe('scripts without mistakes', () => {
  test.each([
    'from(bucket: "b") |> range(start: -1h) |> filter(fn: (r) => r.host == "a" and r._value > 3)',
    'from(bucket: "b") |> filter(fn: (r) => r._value) |> yield(name: "x")',
    'from(bucket: "b") |> filter(fn: (r) => r.a == 1 and r["b c"] == "x" and exists r.d)',
    'from(bucket: "b") |> mean() |> map(fn: (r) => ({r with _value: r._value / 2.0, x: r.y}))',
    'from(bucket: "b") |> range(start: 2020-01-01T00:00:00Z, stop: now()) |> windowMean(every: 1m)',
    `import "strings"\nx = string(v: 1)\ny = strings.toUpper(v: "n = \${1 + 2}")`,
    'x = 1 == 1.0\ny = "a" == 2',
    'option now = () => 2020-01-01T00:00:00Z\nx = now()',
    'option task = {name: "t", every: 1h}\nx = task.name + "x"',
    'import u "path/to/units"\noption u.factors = [2.0]\nx = u.convert(v: 1.0)',
    'import "array"\narray.from(rows: [{a: 1, b: "x"}, {b: "y", a: 2}]) |> relabel(column: .a)',
    'f = (x) => x\na = f(x: 1) + 1\nb = f(x: "a") + "b"',
    'f = (x="d") => x\na = f() + "b"\nb = f(x: 1) + 2',
    'f = (fn, t=<-) => t |> fn(n: 1)\nx = from(bucket: "b") |> f(fn: limit)',
    'a = 1\nf = () => {\n  a = 2\n  return a\n}',
    'x = if true then {a: 1} else {a: 2}\ny = x.a + 1',
    'builtin x : dynamic\nd = asArray(v: x)\ny = d[0]',
    'builtin v : dynamic\nf = (x) => ({a: x.pos.x})\ny = f(x: v)\nz = v.a.b.c',
    'testcase t { x = 1 }\ntestcase u { x = 2 }',
    'x = {a: 1}\ny = {x with a: "s", b: 2}\nz = y.a + "t"',
  ])('%s', (script) => {
    expect(problemsOf(script)).toEqual([])
  })

  test('statements before the script belong to it', () => {
    const extern = parseFlux('import "strings"\noption params = {n: 3}\nup = strings.toUpper')
    const check = (script: string) => checkScript(parseFlux(script), testLibrary, { extern }).errors
    expect(check('from(bucket: up(v: "b")) |> limit(n: params.n)')).toEqual([])
    expect(check('x = params.m').map(problemText)).toEqual([
      'error @1:5-1:11: record is missing label m',
    ])
    expect(check('x = strings').map(problemText)).toEqual([
      'error @1:5-1:12: undefined identifier strings',
    ])
  })
})
