// The same question for other programs. The token
// stands for itself as `$TOKEN`.

import { boundText, type Question } from '../query/language.js'

export interface Copied {
  readonly name: string
  readonly text: string
}

export function copiesOf(question: Question, org: string, bucket: string): readonly Copied[] {
  const url = document.baseURI.replace(/\/$/, '')
  return [
    { name: 'curl', text: curl(question, url, org, bucket) },
    { name: 'JavaScript', text: javascript(question, url, org, bucket) },
    { name: 'Python', text: python(question, url, org, bucket) },
    { name: 'Plain text', text: plain(question) },
  ]
}

/** With the range written out: elsewhere nobody sends `v` along. */
function plain(question: Question): string {
  if (question.language !== 'flux') return boundText(question)
  const { moments, windowSeconds, text } = question
  const iso = (ms: number) => new Date(ms).toISOString()
  const range = `timeRangeStart: ${iso(moments.from)}, timeRangeStop: ${iso(moments.to)}`
  const values = `{${range}, windowPeriod: ${windowSeconds}s}`
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => /^\s*import\s/.test(line))
  lines.splice(last + 1, 0, `v = ${values}`)
  return lines.join('\n')
}

function target({ language }: Question, url: string, org: string) {
  if (language === 'flux') return { path: `${url}/api/v2/query?org=${encodeURIComponent(org)}` }
  return { path: `${url}/api/v3/query_${language}` }
}

function bodyOf(question: Question, bucket: string): object {
  if (question.language === 'flux') return { query: plain(question) }
  return { db: bucket, q: plain(question), format: 'csv' }
}

function curl(question: Question, url: string, org: string, bucket: string): string {
  const body = JSON.stringify(bodyOf(question, bucket)).replaceAll("'", "'\\''")
  return [
    `curl -X POST '${target(question, url, org).path}' \\`,
    '  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\',
    `  --data-raw '${body}'`,
  ].join('\n')
}

function javascript(question: Question, url: string, org: string, bucket: string): string {
  return [
    `const response = await fetch(${JSON.stringify(target(question, url, org).path)}, {`,
    "  method: 'POST',",
    "  headers: { authorization: 'Bearer ' + process.env.TOKEN, 'content-type': 'application/json' },",
    `  body: JSON.stringify(${JSON.stringify(bodyOf(question, bucket), undefined, 2).replaceAll('\n', '\n  ')}),`,
    '})',
    'console.log(await response.text())',
  ].join('\n')
}

function python(question: Question, url: string, org: string, bucket: string): string {
  return [
    'import os, requests',
    `response = requests.post(${JSON.stringify(target(question, url, org).path)},`,
    '    headers={"Authorization": f"Bearer {os.environ[\'TOKEN\']}"},',
    `    json=${JSON.stringify(bodyOf(question, bucket))})`,
    'print(response.text)',
  ].join('\n')
}
