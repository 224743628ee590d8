import { connect } from 'node:net'

/** True if a program listens on a port of 127.0.0.1. */
export function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (open: boolean) => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', () => answer(true)).once('error', () => answer(false))
  })
}
