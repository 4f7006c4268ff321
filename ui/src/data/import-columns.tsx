// A file that the service reads itself, such as Parquet: looked at first (what its columns become, what its first
// points look like), then imported, with how far it is and *Stop*.

import { Button, Progress, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Bucket } from '../api/buckets.js'
import { type ImportInput, type ImportState, importFile } from '../api/imports.js'
import { plural } from '../parts/figures.js'
import { Failed, Loading } from '../parts/states.js'

/** Larger ones are imported without a look: they would be sent twice. */
const previewBytesMax = 64 * 1024 * 1024
const refusedShown = 20

export interface ImportColumnsProps {
  readonly bucket: Bucket
  readonly file: File
  readonly format: ImportInput['format']
}

export function ImportColumns({ bucket, file, format }: ImportColumnsProps) {
  const client = useQueryClient()
  const [measurement, setMeasurement] = useState(file.name.replace(/\..*$/, ''))
  const [share, setShare] = useState<number>()
  const [outcome, setOutcome] = useState<ImportState>()
  const [error, setError] = useState<unknown>()
  const controller = useRef<AbortController | null>(null)
  useEffect(() => () => controller.current?.abort(), [])
  const input = { orgID: bucket.orgID, bucketID: bucket.id, format, measurement }
  const start = async () => {
    const own = new AbortController()
    controller.current = own
    setError(undefined)
    setOutcome(undefined)
    setShare(0)
    try {
      setOutcome(await importFile(input, file, setShare, own.signal))
    } catch (failure) {
      if (!own.signal.aborted) setError(failure)
    } finally {
      setShare(undefined)
      void client.invalidateQueries({ queryKey: ['schema'] })
    }
  }
  return (
    <>
      <TextInput
        label="Measurement, of rows that name none"
        maw={320}
        value={measurement}
        onChange={(event) => setMeasurement(event.currentTarget.value)}
      />
      {file.size <= previewBytesMax && <Preview input={input} file={file} />}
      <div className="row">
        <Button loading={share !== undefined} onClick={start}>
          Import into {bucket.name}
        </Button>
        {share !== undefined && (
          <Button variant="light" color="red" onClick={() => controller.current?.abort()}>
            Stop
          </Button>
        )}
      </div>
      {share !== undefined && <Progress value={share * 100} aria-label="Sent" />}
      {error !== undefined && <Failed error={error} what="Import" />}
      {outcome !== undefined && <Told {...outcome} />}
    </>
  )
}

interface PreviewProps {
  readonly input: ImportInput
  readonly file: File
}

/** What a dry run says. It depends on the measurement only where the file names none. */
function Preview({ input, file }: PreviewProps) {
  const [state, setState] = useState<ImportState>()
  const [error, setError] = useState<unknown>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file
  useEffect(() => {
    const own = new AbortController()
    setState(undefined)
    setError(undefined)
    importFile({ ...input, dryRun: true }, file, () => {}, own.signal).then(
      setState,
      (failure: unknown) => {
        if (!own.signal.aborted) setError(failure)
      },
    )
    return () => own.abort()
  }, [file])
  if (error !== undefined) return <Failed error={error} what="Reading the file" />
  if (state === undefined) return <Loading />
  return (
    <>
      <p>
        {plural(state.rows, 'row')}, {plural(state.points, 'point')}
        {state.refused > 0 && `; ${plural(state.refused, 'row')} would be refused`}.
      </p>
      {state.columns.length > 0 && (
        <div className="table-scroll">
          <table className="plain-table">
            <thead>
              <tr>
                <th>Column</th>
                <th>Becomes</th>
              </tr>
            </thead>
            <tbody>
              {state.columns.map(({ name, type }) => (
                <tr key={name}>
                  <td className="mono">{name}</td>
                  <td>{type}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {state.sample.length > 0 && (
        <div className="code-block">
          <pre>{state.sample.slice(0, 5).join('\n')}</pre>
        </div>
      )}
    </>
  )
}

function Told({ points, refused, errors }: ImportState) {
  return (
    <div role="status">
      <p className="good">{plural(points, 'point')} written.</p>
      {refused > 0 && (
        <>
          <p className="bad">{plural(refused, 'row was', 'rows were')} refused:</p>
          <ul>
            {errors.slice(0, refusedShown).map(({ row, message }) => (
              <li key={row}>
                row {row}: {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
