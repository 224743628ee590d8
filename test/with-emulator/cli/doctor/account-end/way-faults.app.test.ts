import { memoryUsers } from '../../../../login/memory-users.ts'
import { ADA } from '../../../../login/start-login-app.ts'
import { rowsFor } from '../../../../rows.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { Fault } from '../faults/installation.ts'

const timeIn = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const DAY_SECONDS = 86_400

/** The store delivers an end of the account of the test viewer. */
function endingAt(accountEndsAt: () => string): Pick<Fault, 'app'> {
  return {
    app: () => {
      const users = memoryUsers()
      users.add(ADA.username, ADA.password, { attributes: { accountEndsAt: accountEndsAt() } })
      return { users }
    },
  }
}
/** The clock of the app is wrong by so much. */
const clock = (seconds: number, accountEndsAt: () => string): Pick<Fault, 'app' | 'proxy'> => ({
  app: () => ({ ...endingAt(accountEndsAt).app?.(), nowSeconds: () => Date.now() / 1000 + seconds }),
  proxy: {
    answers: ({ date, ...headers }) => ({ ...headers, date: new Date(Date.now() + seconds * 1000).toUTCString() }),
  },
})

const TELLING: readonly Fault[] = [
  {
    name: 'the account of the test viewer ended yesterday',
    ...endingAt(() => timeIn(-DAY_SECONDS)),
    findings: ['failure account-ended'],
  },
  {
    name: 'the store delivers an end without a time',
    ...endingAt(() => '2026-12-31'),
    findings: ['failure account-end-unreadable'],
  },
  {
    name: 'control: the account of the test viewer ends tomorrow',
    ...endingAt(() => timeIn(DAY_SECONDS)),
    findings: [],
    isHarmless: true,
  },
]

const OTHERS: readonly Fault[] = [
  {
    name: 'the store delivers an empty end',
    ...endingAt(() => ''),
    findings: ['failure account-end-unreadable'],
  },
  {
    name: 'the store delivers the end as a number of Active Directory',
    ...endingAt(() => '133801632000000000'),
    findings: ['failure account-end-unreadable'],
  },
  {
    name: 'the account ended a minute ago, and the password is wrong too',
    ...endingAt(() => timeIn(-60)),
    afterwards: ({ env }) => Object.assign(env, { VIEWER_PASSWORD: 'wrong' }),
    findings: ['failure wrong-password'],
  },
  {
    name: 'the clock of the app is two days ahead, and the account ends tomorrow',
    ...clock(2 * DAY_SECONDS, () => timeIn(DAY_SECONDS)),
    findings: ['warning copy-clock', 'warning clocks-differ', 'failure account-ended'],
  },
  {
    name: 'control: the end of the account has another name of the attribute, in capitals',
    app: () => {
      const users = memoryUsers()
      users.add(ADA.username, ADA.password, { attributes: { ACCOUNTENDSAT: timeIn(DAY_SECONDS) } })
      return { users }
    },
    findings: [],
    isHarmless: true,
  },
  {
    name: 'control: the account ends in five minutes, before its response would',
    ...endingAt(() => timeIn(300)),
    findings: [],
    isHarmless: true,
  },
]

testFaults('the end of an account', rowsFor(TELLING, OTHERS))
