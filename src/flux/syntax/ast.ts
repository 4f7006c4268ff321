// The syntax tree of Flux, in the node shapes that InfluxDB's interface shows (`/api/v2/query/ast`):
// closed unions with a literal `type`. What cannot be understood stands in the tree as a bad
// statement or a bad expression, and errors stand at the node where they belong.

/** Counted from 1; columns in bytes of UTF-8. Both are 0 where there is nothing (an empty file). */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface SourceLocation {
  readonly file?: string
  readonly start: Position
  readonly end: Position
  readonly source?: string
}

export interface NodeError {
  readonly msg: string
}

export interface Comment {
  readonly text: string
}

interface Node {
  readonly location: SourceLocation
  readonly errors?: readonly NodeError[]
  /** Comments that stand before the node's first token. */
  readonly comments?: readonly Comment[]
  /** `@edition("2022.1")` before a clause, an import or a statement: for printing, no part of the interface. */
  readonly attributes?: readonly Attribute[]
}

export interface Attribute extends Node {
  readonly name: string
  readonly params: readonly AttributeParam[]
}

export interface AttributeParam extends Node {
  readonly value: Expression
  readonly comma?: readonly Comment[]
}

export interface Package {
  readonly type: 'Package'
  readonly path?: string
  readonly package: string
  readonly files: readonly File[]
}

export interface File extends Node {
  readonly type: 'File'
  readonly name?: string
  readonly metadata?: string
  readonly package: PackageClause | null
  readonly imports: readonly ImportDeclaration[]
  readonly body: readonly Statement[]
  readonly eof?: readonly Comment[]
}

export interface PackageClause extends Node {
  readonly type: 'PackageClause'
  readonly name: Identifier
}

export interface ImportDeclaration extends Node {
  readonly type: 'ImportDeclaration'
  readonly as: Identifier | null
  readonly path: StringLiteral
}

export type Statement =
  | BadStatement
  | VariableAssignment
  | MemberAssignment
  | ExpressionStatement
  | ReturnStatement
  | OptionStatement
  | BuiltinStatement
  | TestStatement
  | TestCaseStatement

export interface BadStatement extends Node {
  readonly type: 'BadStatement'
  readonly text: string
}

export interface VariableAssignment extends Node {
  readonly type: 'VariableAssignment'
  readonly id: Identifier
  readonly init: Expression
}

/** Only inside an option statement: `option pkg.name = value`. */
export interface MemberAssignment extends Node {
  readonly type: 'MemberAssignment'
  readonly member: MemberExpression
  readonly init: Expression
}

export interface ExpressionStatement extends Node {
  readonly type: 'ExpressionStatement'
  readonly expression: Expression
}

export interface ReturnStatement extends Node {
  readonly type: 'ReturnStatement'
  readonly argument: Expression
}

export interface OptionStatement extends Node {
  readonly type: 'OptionStatement'
  readonly assignment: VariableAssignment | MemberAssignment
}

export interface BuiltinStatement extends Node {
  readonly type: 'BuiltinStatement'
  readonly colon?: readonly Comment[]
  readonly id: Identifier
  readonly ty: TypeExpression
}

export interface TestStatement extends Node {
  readonly type: 'TestStatement'
  readonly assignment: VariableAssignment
}

export interface TestCaseStatement extends Node {
  readonly type: 'TestCaseStatement'
  readonly id: Identifier
  readonly extends?: StringLiteral
  readonly block: Block
}

export interface Block extends Node {
  readonly type: 'Block'
  readonly lbrace?: readonly Comment[]
  readonly body: readonly Statement[]
  readonly rbrace?: readonly Comment[]
}

export type Expression =
  | BadExpression
  | Identifier
  | StringExpression
  | ParenExpression
  | CallExpression
  | PipeExpression
  | MemberExpression
  | IndexExpression
  | FunctionExpression
  | BinaryExpression
  | UnaryExpression
  | LogicalExpression
  | ConditionalExpression
  | ArrayExpression
  | DictExpression
  | ObjectExpression
  | Literal

export interface BadExpression extends Node {
  readonly type: 'BadExpression'
  readonly text: string
  readonly expression?: Expression
  /** Of two expressions side by side without an operator: the second. */
  readonly right?: Expression
}

export interface Identifier extends Node {
  readonly type: 'Identifier'
  readonly name: string
}

export interface StringExpression extends Node {
  readonly type: 'StringExpression'
  readonly parts: readonly (TextPart | InterpolatedPart)[]
}

export interface TextPart extends Node {
  readonly type: 'TextPart'
  readonly value: string
}

export interface InterpolatedPart extends Node {
  readonly type: 'InterpolatedPart'
  readonly expression: Expression
}

export interface ParenExpression extends Node {
  readonly type: 'ParenExpression'
  readonly lparen?: readonly Comment[]
  readonly expression: Expression
  readonly rparen?: readonly Comment[]
}

export interface CallExpression extends Node {
  readonly type: 'CallExpression'
  readonly callee: Expression
  readonly lparen?: readonly Comment[]
  /** None, or one object expression with the named arguments. */
  readonly arguments?: readonly Expression[]
  readonly rparen?: readonly Comment[]
}

export interface PipeExpression extends Node {
  readonly type: 'PipeExpression'
  readonly argument: Expression
  readonly call: CallExpression
}

export interface MemberExpression extends Node {
  readonly type: 'MemberExpression'
  readonly object: Expression
  readonly lbrack?: readonly Comment[]
  readonly property: Identifier | StringLiteral
  readonly rbrack?: readonly Comment[]
}

export interface IndexExpression extends Node {
  readonly type: 'IndexExpression'
  readonly array: Expression
  readonly lbrack?: readonly Comment[]
  readonly index: Expression
  readonly rbrack?: readonly Comment[]
}

export interface FunctionExpression extends Node {
  readonly type: 'FunctionExpression'
  readonly lparen?: readonly Comment[]
  /** A value of null: required; a pipe literal: the pipe parameter; else the default. */
  readonly params: readonly Property[]
  readonly rparen?: readonly Comment[]
  readonly arrow?: readonly Comment[]
  readonly body: Expression | Block
}

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '^'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '=~'
  | '!~'

export interface BinaryExpression extends Node {
  readonly type: 'BinaryExpression'
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
}

export interface UnaryExpression extends Node {
  readonly type: 'UnaryExpression'
  readonly operator: '-' | '+' | 'not' | 'exists'
  readonly argument: Expression
}

export interface LogicalExpression extends Node {
  readonly type: 'LogicalExpression'
  readonly operator: 'and' | 'or'
  readonly left: Expression
  readonly right: Expression
}

export interface ConditionalExpression extends Node {
  readonly type: 'ConditionalExpression'
  readonly tk_if?: readonly Comment[]
  readonly test: Expression
  readonly tk_then?: readonly Comment[]
  readonly consequent: Expression
  readonly tk_else?: readonly Comment[]
  readonly alternate: Expression
}

export interface ArrayExpression extends Node {
  readonly type: 'ArrayExpression'
  readonly lbrack?: readonly Comment[]
  readonly elements: readonly Expression[]
  /** Comments before the comma behind each element, where there are any. Kept for printing. */
  readonly commas?: readonly (readonly Comment[])[]
  readonly rbrack?: readonly Comment[]
}

export interface DictExpression extends Node {
  readonly type: 'DictExpression'
  readonly lbrack?: readonly Comment[]
  readonly elements: readonly DictItem[]
  readonly rbrack?: readonly Comment[]
}

export interface DictItem {
  readonly key: Expression
  readonly val: Expression
  readonly comma?: readonly Comment[]
}

export interface ObjectExpression extends Node {
  readonly type: 'ObjectExpression'
  readonly lbrace?: readonly Comment[]
  /** `{source with …}`. */
  readonly with?: WithSource
  readonly properties: readonly Property[]
  readonly rbrace?: readonly Comment[]
}

export interface WithSource {
  readonly source: Identifier
  readonly with?: readonly Comment[]
}

export interface Property extends Node {
  readonly type: 'Property'
  readonly key: Identifier | StringLiteral
  readonly separator?: readonly Comment[]
  /** null: as in `{a, b}` and `(a, b) =>`. */
  readonly value: Expression | null
  readonly comma?: readonly Comment[]
}

export type Literal =
  | StringLiteral
  | BooleanLiteral
  | FloatLiteral
  | IntegerLiteral
  | UnsignedIntegerLiteral
  | RegexpLiteral
  | DurationLiteral
  | DateTimeLiteral
  | PipeLiteral
  | LabelLiteral

export interface StringLiteral extends Node {
  readonly type: 'StringLiteral'
  readonly value: string
}

/** Never made by the parser (`true` and `false` are names), but part of the interface. */
export interface BooleanLiteral extends Node {
  readonly type: 'BooleanLiteral'
  readonly value: boolean
}

export interface FloatLiteral extends Node {
  readonly type: 'FloatLiteral'
  readonly value: number
}

export interface IntegerLiteral extends Node {
  readonly type: 'IntegerLiteral'
  /** Decimal digits: JSON numbers do not hold 64 bits. */
  readonly value: string
}

export interface UnsignedIntegerLiteral extends Node {
  readonly type: 'UnsignedIntegerLiteral'
  readonly value: string
}

export interface RegexpLiteral extends Node {
  readonly type: 'RegexpLiteral'
  /** The pattern, without slashes, `\/` read as `/`. */
  readonly value: string
}

export interface DurationLiteral extends Node {
  readonly type: 'DurationLiteral'
  readonly values: readonly DurationPart[]
}

export interface DurationPart {
  /** 64 bits wide. */
  readonly magnitude: bigint
  readonly unit: string
}

export interface DateTimeLiteral extends Node {
  readonly type: 'DateTimeLiteral'
  /** RFC3339 with nanoseconds where there are some. */
  readonly value: string
}

export interface PipeLiteral extends Node {
  readonly type: 'PipeLiteral'
}

/** `.name`: the name of a column as a value of its own type. */
export interface LabelLiteral extends Node {
  readonly type: 'LabelLiteral'
  readonly value: string
}

/** Types are written only behind `builtin name :`, and in the signatures of our own library. */
export interface TypeExpression extends Node {
  readonly type: 'TypeExpression'
  readonly monotype: MonoType
  readonly constraints: readonly TypeConstraint[]
}

export interface TypeConstraint extends Node {
  readonly type: 'TypeConstraint'
  readonly tvar: Identifier
  readonly kinds: readonly Identifier[]
}

export type MonoType =
  | NamedType
  | TvarType
  | ArrayType
  | StreamType
  | VectorType
  | DictType
  | DynamicType
  | RecordType
  | FunctionType
  | LabelType

/** `int`, `string`, `time`, … */
export interface NamedType extends Node {
  readonly type: 'NamedType'
  readonly name: Identifier
}

/** A capital letter and digits. */
export interface TvarType extends Node {
  readonly type: 'TvarType'
  readonly name: Identifier
}

export interface ArrayType extends Node {
  readonly type: 'ArrayType'
  readonly element: MonoType
}

export interface StreamType extends Node {
  readonly type: 'StreamType'
  readonly element: MonoType
}

export interface VectorType extends Node {
  readonly type: 'VectorType'
  readonly element: MonoType
}

export interface DictType extends Node {
  readonly type: 'DictType'
  readonly key: MonoType
  readonly val: MonoType
}

export interface DynamicType extends Node {
  readonly type: 'DynamicType'
}

export interface LabelType extends Node {
  readonly type: 'LabelType'
  readonly value: string
}

export interface RecordType extends Node {
  readonly type: 'RecordType'
  readonly properties: readonly PropertyType[]
  /** `{A with …}`. */
  readonly tvar?: Identifier
}

export interface PropertyType extends Node {
  readonly type: 'PropertyType'
  readonly name: Identifier | StringLiteral
  readonly monotype: MonoType
}

export interface FunctionType extends Node {
  readonly type: 'FunctionType'
  readonly parameters: readonly ParameterType[]
  readonly monotype: MonoType
}

export interface ParameterType extends Node {
  readonly type: 'Required' | 'Optional' | 'Pipe'
  /** Absent for a pipe parameter without a name. */
  readonly name?: Identifier
  readonly monotype: MonoType
  /** `?name: A = .label`. */
  readonly default?: LabelType
}
