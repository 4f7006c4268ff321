// Templates that are dropped on the window, or chosen: their files are read, and a dialog shows what they will make
// before they make it. The dialog itself is loaded when there is one.

import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react'
import { later } from '../parts/later.js'
import { failed } from '../parts/toasts.js'

const TemplateDialog = later(async () => (await import('./template-dialog.js')).TemplateDialog)

export interface TemplateFile {
  readonly name: string
  readonly text: string
}

interface Templates {
  /** Asks for files. */
  readonly choose: () => void
}

const TemplatesContext = createContext<Templates>({ choose: () => {} })

export function useTemplates(): Templates {
  return useContext(TemplatesContext)
}

/** As much as the service takes in one request. */
const bytesMax = 4 * 1024 * 1024
const ending = /\.(ya?ml|json)$/i

export function TemplateDrop({ children }: { readonly children: ReactNode }) {
  const [files, setFiles] = useState<readonly TemplateFile[]>()
  const [isOver, setOver] = useState(false)
  const read = useCallback(async (list: readonly File[]) => {
    const large = list.find(({ size }) => size > bytesMax)
    if (large !== undefined) {
      failed(`${large.name} is larger than 4 MB.`)
      return
    }
    const texts = list.map(async (file) => ({ name: file.name, text: await file.text() }))
    setFiles(await Promise.all(texts))
  }, [])
  const value = useMemo(() => ({ choose: () => chooseFiles(read) }), [read])
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event) || isOwnField(event.target)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      setOver(false)
      if (!hasFiles(event) || isOwnField(event.target)) return
      event.preventDefault()
      const list = [...(event.dataTransfer?.files ?? [])].filter(({ name }) => ending.test(name))
      if (list.length > 0) void read(list)
      else failed('A template is a file that ends in .yml, .yaml or .json.')
    }
    window.addEventListener('dragover', over)
    window.addEventListener('dragleave', leave)
    window.addEventListener('drop', drop)
    return () => {
      window.removeEventListener('dragover', over)
      window.removeEventListener('dragleave', leave)
      window.removeEventListener('drop', drop)
    }
  }, [read])
  return (
    <TemplatesContext.Provider value={value}>
      {children}
      {isOver && <div className="drop-here">Drop the template: you will see what it makes</div>}
      {files !== undefined && <TemplateDialog files={files} onClose={() => setFiles(undefined)} />}
    </TemplatesContext.Provider>
  )
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false
}

/** Places that take files themselves, such as the import of points. */
function isOwnField(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('[data-takes-files], input[type=file]') !== null
  )
}

function chooseFiles(onChosen: (files: readonly File[]) => void): void {
  const input = Object.assign(document.createElement('input'), {
    type: 'file',
    multiple: true,
    accept: '.yml,.yaml,.json',
  })
  input.addEventListener('change', () => {
    const files = [...(input.files ?? [])]
    if (files.length > 0) onChosen(files)
  })
  input.click()
}
