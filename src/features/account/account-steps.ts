import type { Counter, Registry } from 'prom-client'
import { PAGE_OUTCOMES } from '../../login/log/step-log.ts'

/** The outcomes of the steps by which viewers set their passwords, with `event` "account". */
const ACCOUNT_OUTCOMES = {
  ...PAGE_OUTCOMES,
  'reset-requested': { level: 'info', counted: 'always' },
  'reset-limited': { level: 'warn', counted: 'always' },
  'reset-mailed': { level: 'info' },
  'reset-not-mailed': { level: 'warn', counted: 'always' },
  'link-refused': { level: 'warn', counted: 'always' },
  'password-reset': { level: 'info' },
  'password-set': { level: 'info' },
  'password-changed': { level: 'info' },
  'password-refused': { level: 'warn', counted: 'always' },
  'notice-mailed': { level: 'info' },
  'notice-not-mailed': { level: 'warn', counted: 'always' },
  'sessions-not-ended': { level: 'error' },
} as const

/** Creates the metric of the steps. Counts nothing until it is registered. */
export function createAccountSteps() {
  let counter: Counter<'outcome' | 'entry_point'> | null = null
  return {
    outcomes: ACCOUNT_OUTCOMES,
    count: (outcome: string, entry_point: string) => counter?.inc({ outcome, entry_point }),
    async register(registry: Registry): Promise<void> {
      const { Counter } = await import('prom-client')
      counter = new Counter({
        name: 'viewer_auth_account_steps_total',
        help: 'Steps to set a password by outcome',
        labelNames: ['outcome', 'entry_point'],
        registers: [registry],
      })
    },
  }
}
