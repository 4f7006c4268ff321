// A button with a menu, which is only the button until it is pressed first: a page may have dozens, and hardly one of
// them is opened.

import { Menu, type MenuProps } from '@mantine/core'
import {
  type ButtonHTMLAttributes,
  cloneElement,
  type ReactElement,
  type ReactNode,
  type Ref,
  useEffect,
  useRef,
  useState,
} from 'react'

type Button = ReactElement<
  ButtonHTMLAttributes<HTMLButtonElement> & { readonly ref?: Ref<HTMLButtonElement> }
>

export interface DropDownProps extends Pick<MenuProps, 'position' | 'width'> {
  readonly button: Button
  /** The menu's entries, made when it opens. */
  readonly children: ReactNode
  /** Scrolls beyond this height. */
  readonly maxHeight?: number
}

export function DropDown({ button, children, maxHeight, ...rest }: DropDownProps) {
  const [isUsed, setUsed] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const made = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isUsed) return
    // It is another element now, to which the focus comes back when the menu closes.
    made.current?.focus()
    setOpen(true)
  }, [isUsed])
  if (!isUsed) {
    const onClick = () => setUsed(true)
    return cloneElement(button, { 'aria-haspopup': 'menu', 'aria-expanded': false, onClick })
  }
  const bounds = maxHeight === undefined ? {} : { mah: maxHeight, className: 'scrolls' }
  return (
    <Menu {...rest} opened={isOpen} onChange={setOpen}>
      <Menu.Target>{cloneElement(button, { ref: made })}</Menu.Target>
      <Menu.Dropdown {...bounds}>{children}</Menu.Dropdown>
    </Menu>
  )
}
