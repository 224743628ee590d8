export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly sentAtSeconds: number
}

/** Mails that the service would send. In memory only, because the database stores only digests of their links. */
export type Outbox = ReturnType<typeof createOutbox>

const MAX_MAILS = 20

/**
 * Keeps the last 20 mails.
 * @param generation changes at a reset, which removes all mails.
 */
export function createOutbox(generation: () => string) {
  let mails: { readonly mail: Mail; readonly from: string }[] = []
  return {
    put(mail: Mail): void {
      mails = [{ mail, from: generation() }, ...mails].slice(0, MAX_MAILS)
    },
    newestFirst(): readonly Mail[] {
      const current = generation()
      return mails.filter(({ from }) => from === current).map(({ mail }) => mail)
    },
  }
}
