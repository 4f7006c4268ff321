// Colours of series: eight that normal and colour-blind eyes tell apart on their page, then the same with dashes, then
// with dots. Colours stored with a cell win.

const light = [
  '#4d89fa',
  '#ab5a0d',
  '#348668',
  '#d660a5',
  '#125965',
  '#90311b',
  '#a19413',
  '#1c1c21',
]
const dark = [
  '#3765c9',
  '#f09717',
  '#b2fcd0',
  '#af3379',
  '#45ccf3',
  '#f4201a',
  '#efda46',
  '#9d9b98',
]

export interface Stroke {
  readonly colour: string
  readonly dash: number[] | undefined
}

export function strokeOf(index: number, isDark: boolean, own?: readonly string[]): Stroke {
  const colours = own !== undefined && own.length > 0 ? own : isDark ? dark : light
  const round = Math.floor(index / colours.length) % 3
  const dash = [undefined, [8, 4], [2, 3]][round]
  return { colour: colours[index % colours.length], dash }
}
