// What is there as a template, saved as a file that can be dropped on another window. What it lacks the permission for
// is told.

import { exportTemplate, type TemplateContents } from '../api/templates.js'
import { saveBlob } from '../parts/save-file.js'
import { failed } from '../parts/toasts.js'

export async function saveTemplate(contents: TemplateContents, name: string): Promise<void> {
  try {
    const file = name.replace(/[^\w-]+/g, '-') || 'template'
    saveBlob(await exportTemplate(contents), `${file}.yml`)
  } catch (error) {
    failed(error, 'Export')
  }
}
