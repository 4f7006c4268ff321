// The kit's look: small, square, one accent; colours of text, page and edges come from `styles/tokens.css`, which the
// kit's own variables point to.

import { createTheme, type MantineColorsTuple } from '@mantine/core'

/** Around the accent of light pages (8) and of dark ones (4). */
const mill: MantineColorsTuple = [
  '#e6f7f3',
  '#cdeee6',
  '#9cdccd',
  '#68cdb6',
  '#3fc9b0',
  '#26ab94',
  '#17917c',
  '#0f7f6d',
  '#0b6e5f',
  '#08574b',
]

export const theme = createTheme({
  primaryColor: 'mill',
  primaryShade: { light: 8, dark: 4 },
  colors: { mill },
  autoContrast: true,
  luminanceThreshold: 0.4,
  defaultRadius: 4,
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '13px', lg: '16px', xl: '20px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', allowDeselect: false } },
    // Lists of choices are made when they are opened: the kit would make and place all of them with the page.
    Combobox: { defaultProps: { keepMounted: false } },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
        transitionProps: { duration: 100 },
      },
    },
    Menu: { defaultProps: { transitionProps: { duration: 80 } } },
    Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 80 } } },
    Popover: { defaultProps: { transitionProps: { duration: 80 } } },
  },
})
