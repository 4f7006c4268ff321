// Statements → documents. Statements of different kinds, and those with comments or an empty line before
// them, are set apart by one empty line.

import type {
  Attribute,
  BuiltinStatement,
  Expression,
  MemberAssignment,
  Statement,
  TestCaseStatement,
  VariableAssignment,
} from './ast.js'
import { layHanging, opening, within } from './hang.js'
import { concat, type Doc, group, hardLine, line, nest, nil, separated } from './layout.js'
import { leftmost } from './precedence.js'
import { printAnywhere, printMember } from './print-expressions.js'
import { hangBehind, hangBlock } from './print-hanging.js'
import { printItemList } from './print-lists.js'
import {
  printComments,
  printCommentsBehind,
  printIdentifier,
  printString,
} from './print-literals.js'
import { printTypeExpression } from './print-types.js'
import { startsWithComment } from './starting-comments.js'

export function printStatements(statements: readonly Statement[]): Doc {
  const docs = statements.map((statement, index) => {
    const previous = statements[index - 1]
    const isApart = previous !== undefined && standsApart(previous, statement)
    return concat(isApart ? hardLine : nil, printStatement(statement))
  })
  return separated(docs, hardLine)
}

function standsApart(previous: Statement, statement: Statement): boolean {
  return (
    statement.location.start.line - previous.location.end.line > 1 ||
    statement.type !== previous.type ||
    startsWithComment(statement) ||
    (statement.attributes ?? []).length > 0
  )
}

function printStatement(statement: Statement): Doc {
  return concat(printAttributes(statement.attributes), group(printStatementHere(statement)))
}

function printStatementHere(statement: Statement): Doc {
  switch (statement.type) {
    case 'ExpressionStatement':
      return printExpressionStatement(statement.expression)
    case 'VariableAssignment':
      return printVariableAssignment(statement)
    case 'MemberAssignment':
      return printMemberAssignment(statement)
    case 'OptionStatement': {
      const { assignment } = statement
      const doc =
        assignment.type === 'MemberAssignment'
          ? printMemberAssignment(assignment)
          : printOptionAssignment(assignment)
      return concat(printComments(statement.comments), 'option ', doc)
    }
    case 'ReturnStatement':
      return hangBehind(concat(printComments(statement.comments), 'return'), statement.argument)
    case 'TestCaseStatement':
      return printTestCase(statement)
    case 'TestStatement':
      return concat('test ', printVariableAssignment(statement.assignment))
    case 'BuiltinStatement':
      return printBuiltin(statement)
    case 'BadStatement':
      // Trees with errors are refused before they get here.
      return concat(statement.text)
  }
}

/** No statement begins with a label. */
function printExpressionStatement(expression: Expression): Doc {
  if (leftmost(expression).type !== 'LabelLiteral') return printAnywhere(expression)
  return concat('(', printAnywhere(expression), ')')
}

/** The comment before the name stays out of the layout, which would be measured with it. */
function printVariableAssignment({ id, init, comments }: VariableAssignment): Doc {
  const prefix = concat(id.name, printCommentsBehind(comments), ' =')
  return concat(printComments(id.comments), hangBehind(prefix, init))
}

function printOptionAssignment({ id, init, comments }: VariableAssignment): Doc {
  return hangBehind(concat(printIdentifier(id), printCommentsBehind(comments), ' ='), init)
}

function printMemberAssignment({ member, init, comments }: MemberAssignment): Doc {
  return hangBehind(concat(printMember(member), printCommentsBehind(comments), ' ='), init)
}

function printTestCase(statement: TestCaseStatement): Doc {
  const parent =
    statement.extends === undefined
      ? nil
      : concat(line, 'extends', line, printString(statement.extends))
  const prefix = concat('testcase', line, printIdentifier(statement.id), parent, line)
  const block = within(hangBlock(statement.block), opening(prefix))
  return concat(printComments(statement.comments), layHanging(block))
}

function printBuiltin(statement: BuiltinStatement): Doc {
  const name = group(concat('builtin', line, printIdentifier(statement.id)))
  const gap = (statement.colon ?? []).length === 0 ? ' ' : line
  const colon = concat(gap, printComments(statement.colon), ': ')
  const body = concat(name, colon, printTypeExpression(statement.ty))
  return concat(printComments(statement.comments), group(nest(body)))
}

/** Each on a line of its own, before the statement. */
export function printAttributes(attributes: readonly Attribute[] = []): Doc {
  return concat(...attributes.flatMap((attribute) => [group(printAttribute(attribute)), hardLine]))
}

function printAttribute(attribute: Attribute): Doc {
  const name = concat(printComments(attribute.comments), '@', attribute.name)
  if (attribute.params.length === 0) return name
  const items = attribute.params.map(({ value, comma }) =>
    concat(printAnywhere(value), printComments(comma)),
  )
  const { prefix, body, suffix } = printItemList('(', ')', items, nil)
  return concat(name, layHanging({ body, openings: [opening(prefix, suffix, false)] }))
}
