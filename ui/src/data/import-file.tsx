// Points from a file: line protocol as it is, CSV after its columns were given their roles. Packed files are unpacked
// here; batches are written one after the other, with what was refused told at the end. Parquet, JSON lines and CSV
// that says itself what it is are read by the service (`import-columns.tsx`).

import { Button, FileInput, Progress, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Bucket, type Precision, writeLines } from '../api/buckets.js'
import { plural } from '../parts/figures.js'
import { saveBlob } from '../parts/save-file.js'
import { Failed } from '../parts/states.js'
import { type Csv, type CsvColumn, guessColumns, type Role, readCsv, toLines } from './csv-lines.js'
import { ImportColumns } from './import-columns.js'
import { guessPrecision, lineCount, refusedTexts } from './line-text.js'

const batchLines = 5000
const shownRows = 5
const refusedShown = 20

type Content =
  /** What the service reads itself. */
  | { readonly kind: 'file'; readonly file: File; readonly format: 'parquet' | 'jsonl' | 'csv' }
  | { readonly kind: 'lines'; readonly text: string }
  | {
      readonly kind: 'csv'
      readonly csv: Csv
      readonly columns: readonly CsvColumn[]
      readonly measurement: string
    }

interface Outcome {
  readonly written: number
  /** In words. */
  readonly refused: readonly string[]
  /** As they stand, for a file that can be mended and imported again. */
  readonly refusedLines: readonly string[]
}

export function ImportFile({ bucket }: { readonly bucket: Bucket }) {
  const client = useQueryClient()
  const [content, setContent] = useState<Content>()
  const [share, setShare] = useState<number>()
  const [outcome, setOutcome] = useState<Outcome>()
  const [error, setError] = useState<unknown>()
  const choose = async (file: File | null) => {
    setOutcome(undefined)
    setError(undefined)
    try {
      setContent(file === null ? undefined : await contentOf(file))
    } catch (failure) {
      setError(failure)
    }
  }
  const start = async () => {
    if (content === undefined || content.kind === 'file') return
    setError(undefined)
    setShare(0)
    try {
      setOutcome(await writeContent(bucket, content, setShare))
    } catch (failure) {
      setError(failure)
    } finally {
      setShare(undefined)
      void client.invalidateQueries({ queryKey: ['schema'] })
    }
  }
  return (
    <div className="stack">
      <FileInput
        label="File"
        description="CSV with a header, line protocol, Parquet or JSON lines; may be packed with gzip"
        placeholder="Choose a file"
        maw={420}
        accept=".csv,.lp,.txt,.gz,.parquet,.jsonl,.ndjson"
        onChange={choose}
      />
      {content?.kind === 'csv' && <CsvRoles content={content} onChange={setContent} />}
      {content?.kind === 'lines' && (
        <p>{plural(lineCount(content.text), 'line')} of line protocol.</p>
      )}
      {content?.kind === 'file' && (
        <ImportColumns
          key={`${content.file.name} ${content.file.lastModified}`}
          bucket={bucket}
          file={content.file}
          format={content.format}
        />
      )}
      {content !== undefined && content.kind !== 'file' && (
        <div>
          <Button loading={share !== undefined} onClick={start}>
            Import into {bucket.name}
          </Button>
        </div>
      )}
      {share !== undefined && <Progress value={share * 100} aria-label="Written" />}
      {error !== undefined && <Failed error={error} what="Import" />}
      {outcome !== undefined && <Told {...outcome} />}
    </div>
  )
}

function Told({ written, refused, refusedLines }: Outcome) {
  return (
    <div role="status">
      <p className="good">{plural(written, 'point')} written.</p>
      {refused.length > 0 && (
        <>
          <p className="bad">{plural(refused.length, 'row was', 'rows were')} refused:</p>
          <ul>
            {refused.slice(0, refusedShown).map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
          {refusedLines.length > 0 && (
            <Button
              size="xs"
              variant="default"
              onClick={() => saveBlob(new Blob([refusedLines.join('\n')]), 'refused.lp')}
            >
              Save the refused lines
            </Button>
          )}
        </>
      )}
    </div>
  )
}

interface CsvRolesProps {
  readonly content: Extract<Content, { kind: 'csv' }>
  readonly onChange: (content: Content) => void
}

function CsvRoles({ content, onChange }: CsvRolesProps) {
  const { csv, columns, measurement } = content
  const setRole = (index: number, role: Role) =>
    onChange({
      ...content,
      columns: columns.map((column, i) => (i === index ? { ...column, role } : column)),
    })
  return (
    <>
      <TextInput
        label="Measurement"
        maw={320}
        value={measurement}
        onChange={(event) => onChange({ ...content, measurement: event.currentTarget.value })}
      />
      <div className="table-scroll">
        <table className="plain-table">
          <caption className="muted small">
            {plural(csv.rows.length, 'row')}; what each column becomes
          </caption>
          <thead>
            <tr>
              {columns.map(({ name, role }, index) => (
                <th key={name}>
                  <Select
                    label={name}
                    size="xs"
                    miw={110}
                    data={['tag', 'field', 'time', 'ignore']}
                    value={role}
                    onChange={(value) => setRole(index, value as Role)}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {csv.rows.slice(0, shownRows).map((row) => (
              <tr key={row.join()}>
                {columns.map(({ name }, index) => (
                  <td key={name} className="mono">
                    {row[index]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

async function textOf(file: File): Promise<string> {
  if (!file.name.endsWith('.gz')) return file.text()
  return new Response(file.stream().pipeThrough(new DecompressionStream('gzip'))).text()
}

async function contentOf(file: File): Promise<Content> {
  const name = file.name.replace(/\.gz$/, '')
  if (/\.parquet$/i.test(name)) return { kind: 'file', file, format: 'parquet' }
  if (/\.(jsonl|ndjson)$/i.test(name)) return { kind: 'file', file, format: 'jsonl' }
  const text = await textOf(file)
  if (!name.endsWith('.csv')) return { kind: 'lines', text }
  // Annotated, as InfluxDB prints it: it says itself what its columns are.
  if (/^#(datatype|group|default|constant)/.test(text)) return { kind: 'file', file, format: 'csv' }
  const csv = readCsv(text)
  return { kind: 'csv', csv, columns: guessColumns(csv), measurement: name.replace(/\.csv$/, '') }
}

async function writeContent(
  bucket: Bucket,
  content: Exclude<Content, { kind: 'file' }>,
  onShare: (share: number) => void,
): Promise<Outcome> {
  const converted =
    content.kind === 'csv'
      ? toLines(content.csv, content.columns, content.measurement)
      : { lines: content.text.split('\n').filter((line) => lineCount(line) > 0), refused: [] }
  const precision: Precision = content.kind === 'csv' ? 'ms' : guessPrecision(content.text)
  const refused = converted.refused.map(({ row, reason }) => `row ${row}: ${reason}`)
  const refusedLines: string[] = []
  let written = 0
  for (let at = 0; at < converted.lines.length; at += batchLines) {
    const batch = converted.lines.slice(at, at + batchLines)
    const found = await writeLines(bucket.orgID, bucket.name, precision, batch.join('\n'))
    const bad = refusedTexts(batch.join('\n'), found)
    for (const { line, message, text } of bad) {
      refused.push(`line ${at + line}: ${message}`)
      refusedLines.push(text)
    }
    written += batch.length - bad.length
    onShare((at + batch.length) / converted.lines.length)
  }
  return { written, refused, refusedLines }
}
