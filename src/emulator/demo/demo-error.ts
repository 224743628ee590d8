/** Why the demo cannot go on; the message is for the terminal. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
}
