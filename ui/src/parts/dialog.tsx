// A dialog that costs nothing before it is opened first: closed ones are most of what pages hold, and each would be set
// up when its page is drawn.

import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'

export function Dialog({ opened, ...rest }: ModalProps) {
  const isMade = useMade(opened)
  if (!opened && !isMade) return null
  return <Modal {...rest} opened={opened && isMade} />
}

/** A moment after it is wanted first: what opens must have been closed before, to know where the focus was. */
export function useMade(isWanted: boolean): boolean {
  const [isMade, setMade] = useState(false)
  useEffect(() => {
    if (isWanted) setMade(true)
  }, [isWanted])
  return isMade
}
