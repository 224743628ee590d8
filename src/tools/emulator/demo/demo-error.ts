/** The demo cannot continue. The message is for the terminal. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
}
