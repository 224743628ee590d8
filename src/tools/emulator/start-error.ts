/** The emulator or the demo could not start. The message is a sentence for the terminal. */
export class EmulatorStartError extends Error {
  override readonly name = 'EmulatorStartError'
}
