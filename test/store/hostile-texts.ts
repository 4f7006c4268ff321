// Texts that try to break out of a statement, and the same as names that line protocol can say.

import fc from 'fast-check'

export const hostileText = fc.oneof(
  fc.constantFrom(
    "'",
    "\\'",
    '\\\\',
    "') OR 1 = 1 --",
    "'; DROP TABLE points_f4; --",
    "a' UNION ALL SELECT 1 --",
    '%s{x:String}',
    '`',
    '"',
    '/*',
    'é\u{1f600}',
    '\u0001\u007f',
    '\t',
    'x\\y',
    '{{}}',
  ),
  fc.string({ minLength: 1, maxLength: 12, unit: 'binary' }),
)

/** What line protocol can say: no line ends, and no backslash at the end or before a separator. */
export const hostileName = hostileText
  .map((text) =>
    text
      .replace(/[\n\r\0]/g, '')
      .replace(/\\(?=[\\, =]|$)/g, '/')
      .replace(/^[#_ ]/, 'x'),
  )
  .filter((text) => text.trim() !== '' && text !== 'time' && text.isWellFormed())
