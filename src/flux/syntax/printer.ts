// Tree → Flux text, in the form of Flux's own formatter: lines of 100 columns, comments kept. What is
// printed is read as the same tree again, apart from places and parentheses that are not needed. A tree
// with syntax errors cannot be printed: that is a UserError with all of them.

import { UserError } from '../../errors.js'
import type { Expression, File, ImportDeclaration, PackageClause } from './ast.js'
import { concat, type Doc, group, hardLine, nil, render, separated } from './layout.js'
import { printAnywhere } from './print-expressions.js'
import { printComments, printIdentifier, printString } from './print-literals.js'
import { printAttributes, printStatements } from './print-statements.js'
import { errorText, syntaxErrors } from './syntax-errors.js'

const columnsDefault = 100

/** The whole file, with a line end behind it. */
export function printFile(file: File, columnsMax = columnsDefault): string {
  refuseErrors(file)
  return render(group(concat(printFileBody(file), hardLine)), columnsMax)
}

export function printExpression(expression: Expression): string {
  refuseErrors(expression)
  return render(printAnywhere(expression), columnsDefault)
}

function refuseErrors(node: File | Expression): void {
  const errors = syntaxErrors(node)
  if (errors.length > 0) throw new UserError('invalid', errors.map(errorText).join('\n\n'))
}

function printFileBody(file: File): Doc {
  const hasMore = file.imports.length > 0 || file.body.length > 0
  const clause = file.package === null ? nil : printPackageClause(file.package)
  const gap = concat(hardLine, hardLine)
  return concat(
    clause,
    file.package !== null && hasMore ? gap : nil,
    separated(file.imports.map(printImport), hardLine),
    file.imports.length > 0 && file.body.length > 0 ? gap : nil,
    printStatements(file.body),
    printComments(file.eof),
  )
}

function printPackageClause(clause: PackageClause): Doc {
  const name = printIdentifier(clause.name)
  const comments = printComments(clause.comments)
  return concat(printAttributes(clause.attributes), comments, 'package ', name, hardLine)
}

function printImport(declaration: ImportDeclaration): Doc {
  const alias = declaration.as === null ? nil : concat(printIdentifier(declaration.as), ' ')
  const comments = printComments(declaration.comments)
  const path = printString(declaration.path)
  return concat(printAttributes(declaration.attributes), comments, 'import ', alias, path)
}
