import type { Counter, Registry } from 'prom-client'

/** `withheld`: the address may get no code. `bounced`: the mail server refused the mail for good. */
export type MailCodeOutcome = 'sent' | 'withheld' | 'bounced' | 'away' | 'limited'

/** Creates the metrics of codes by mail. Counts nothing until they are registered. */
export function createMailCodeCounts() {
  let counter: Counter<'outcome' | 'entry_point'> | null = null
  let waiting = () => 0
  return {
    count: (outcome: MailCodeOutcome, entry_point: string) => counter?.inc({ outcome, entry_point }),
    /** @param read returns the number of mails that wait. */
    watch(read: () => number): void {
      waiting = read
    },
    async register(registry: Registry): Promise<void> {
      const { Counter, Gauge } = await import('prom-client')
      const registers = [registry]
      counter = new Counter({
        name: 'viewer_auth_mail_codes_total',
        help: 'Mails with a code by outcome',
        labelNames: ['outcome', 'entry_point'],
        registers,
      })
      new Gauge({
        name: 'viewer_auth_mail_codes_waiting',
        help: 'Mails with a code that wait',
        registers,
        collect() {
          this.set(waiting())
        },
      })
    },
  }
}

export type MailCodeCounts = ReturnType<typeof createMailCodeCounts>
