// Step two: the operator's token, shown once, and where the first points come from. Looks for them every two seconds
// and leads to the first chart when there are some.

import { Button, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { SetupResult } from '../api/accounts.js'
import { measurements, pointCount, writeLines } from '../api/buckets.js'
import { CopyButton } from '../parts/copy-button.js'
import { plural } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { OneOf } from '../parts/one-of.js'
import { Failed } from '../parts/states.js'
import { sampleLines } from './sample-data.js'
import { snippets } from './snippets.js'

type Way = 'sample' | 'paste' | 'send' | 'file'

export interface DataStepProps {
  readonly made: SetupResult
  readonly onDone: () => void
}

export function DataStep({ made, onDone }: DataStepProps) {
  const [way, setWay] = useState<Way>()
  const [, go] = useLocation()
  const { bucket, org } = made
  const found = useQuery({
    queryKey: ['first-points', bucket.id],
    queryFn: () => firstPoints(bucket.id),
    refetchInterval: 2000,
  })
  const count = found.data?.names.length ?? 0
  const see = () => {
    const range = way === 'sample' ? '24h' : '1h'
    const first = found.data?.names.find((name) => name === 'room') ?? found.data?.names[0] ?? ''
    go(`/explore?b=${encodeURIComponent(bucket.name)}&r=${range}&m=${encodeURIComponent(first)}`)
    onDone()
  }
  const importFile = () => {
    go(`/data/${bucket.id}/import`)
    onDone()
  }
  return (
    <div className="stack">
      <h2>Your operator token, shown only now</h2>
      <Token token={made.auth.token} />
      <h2>Where do the first points come from?</h2>
      <div className="choice-grid">
        <Choice
          name="Sample data"
          text="A house over a day, written now"
          isChosen={way === 'sample'}
          onClick={() => setWay('sample')}
        />
        <Choice
          name="Paste lines"
          text="Line protocol, checked and written"
          isChosen={way === 'paste'}
          onClick={() => setWay('paste')}
        />
        <Choice
          name="Send them"
          text="curl, Telegraf, Node, Python, Go, Arduino"
          isChosen={way === 'send'}
          onClick={() => setWay('send')}
        />
        <Choice
          name="Import a file"
          text="CSV, Parquet, JSON lines, line protocol"
          isChosen={way === 'file'}
          onClick={() => setWay('file')}
        />
      </div>
      {way === 'sample' && (
        <Writer
          orgId={org.id}
          bucket={bucket.name}
          lines={() => sampleLines(Date.now())}
          name="Write the sample"
          onWritten={() => found.refetch()}
        />
      )}
      {way === 'paste' && (
        <Paste orgId={org.id} bucket={bucket.name} onWritten={() => found.refetch()} />
      )}
      {way === 'file' && (
        <div>
          <Button variant="light" onClick={importFile}>
            Choose the file
          </Button>
        </div>
      )}
      {way === 'send' && <Snippets org={org.name} bucket={bucket.name} />}
      <div className="row">
        <span role="status" className={count > 0 ? 'good' : 'muted'}>
          {count > 0 ? foundText(found.data!) : 'Waiting for the first point…'}
        </span>
        <span className="grow" />
        <Button
          variant={count > 0 ? 'filled' : 'default'}
          onClick={see}
          rightSection={<Icon name="right" size={12} />}
        >
          {count > 0 ? 'See it' : 'Go on without'}
        </Button>
      </div>
    </div>
  )
}

interface FirstPoints {
  readonly names: readonly string[]
  /** Of the first few; undefined: they could not be counted. */
  readonly counts: readonly (number | undefined)[]
}

/** Measurements whose points are counted. */
const countedMax = 3

async function firstPoints(bucketId: string): Promise<FirstPoints> {
  const { names } = await measurements(bucketId, { limit: 1000 })
  const counted = names.slice(0, countedMax)
  const count = (name: string) => pointCount(bucketId, name).catch(() => undefined)
  return { names, counts: await Promise.all(counted.map(count)) }
}

function foundText({ names, counts }: FirstPoints): string {
  const told = counts.map((count, i) => {
    return `${count === undefined ? 'Points' : plural(count, 'point')} in ${names[i]}`
  })
  const rest = names.length - counts.length
  return [...told, ...(rest > 0 ? [plural(rest, 'more measurement')] : [])].join(', ')
}

function Token({ token }: { readonly token: string }) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([`TOKEN=${token}\n`], { type: 'text/plain' }))
    Object.assign(document.createElement('a'), { href: url, download: 'millrace.env' }).click()
    URL.revokeObjectURL(url)
  }
  return (
    <>
      <div className="code-block">
        <pre>{token}</pre>
      </div>
      <div className="row">
        <CopyButton text={token} />
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={14} />}
          onClick={save}
        >
          Save as .env
        </Button>
        <span className="muted small">
          It may do everything. Make smaller ones for programs later.
        </span>
      </div>
    </>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly text: string
  readonly isChosen: boolean
  readonly onClick: () => void
}

function Choice({ name, text, isChosen, onClick }: ChoiceProps) {
  return (
    <button type="button" className="choice" aria-pressed={isChosen} onClick={onClick}>
      <strong>{name}</strong>
      <span className="muted small">{text}</span>
    </button>
  )
}

interface WriterProps {
  readonly orgId: string
  readonly bucket: string
  readonly lines: () => string
  readonly name: string
  readonly precision?: 'ms' | 'ns'
  readonly onWritten: () => void
}

function Writer({ orgId, bucket, lines, name, precision = 'ms', onWritten }: WriterProps) {
  const [state, setState] = useState<'idle' | 'busy' | 'done'>('idle')
  const [error, setError] = useState<unknown>()
  const write = async () => {
    setState('busy')
    setError(undefined)
    try {
      const [refused] = await writeLines(orgId, bucket, precision, lines())
      if (refused !== undefined) throw new Error(`line ${refused.line}: ${refused.message}`)
      setState('done')
      onWritten()
    } catch (failure) {
      setError(failure)
      setState('idle')
    }
  }
  return (
    <div className="stack">
      <div>
        <Button
          variant="light"
          loading={state === 'busy'}
          disabled={state === 'done'}
          onClick={write}
        >
          {state === 'done' ? 'Written' : name}
        </Button>
      </div>
      {error !== undefined && <Failed error={error} what="Writing" />}
    </div>
  )
}

function Paste({ orgId, bucket, onWritten }: Pick<WriterProps, 'orgId' | 'bucket' | 'onWritten'>) {
  const [text, setText] = useState('room,room=kitchen temperature=21.5')
  return (
    <div className="stack">
      <Textarea
        label="Line protocol; times in nanoseconds, or none for now"
        autosize
        minRows={3}
        maxRows={12}
        value={text}
        classNames={{ input: 'mono' }}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Writer
        orgId={orgId}
        bucket={bucket}
        lines={() => text}
        name="Write"
        precision="ns"
        onWritten={onWritten}
        key={text}
      />
    </div>
  )
}

function Snippets({ org, bucket }: { readonly org: string; readonly bucket: string }) {
  const all = snippets(document.baseURI.replace(/\/$/, ''), org, bucket)
  const [name, setName] = useState(all[0].name)
  const { text } = all.find((one) => one.name === name)!
  return (
    <div className="stack">
      <OneOf aria-label="With" value={name} onChange={setName} data={all.map((one) => one.name)} />
      <div className="code-block">
        <pre>{text}</pre>
      </div>
      <div>
        <CopyButton text={text} />
      </div>
    </div>
  )
}
