import type { Logger } from 'pino'
import { openLimitedFile } from '../../../server/log/limited-file.ts'
import { createLineOutput } from '../../../server/log/line-output.ts'
import { openLog, securityLogOf } from '../../../server/log/log.ts'
import type { Manager } from '../../cli/manager/accounts/manager-store.ts'
import type { ActSubject } from './route.ts'

/** An act of a manager, or of a person who tries to sign in as one. */
export interface Act extends ActSubject {
  /** The name of the act in the table of routes. */
  readonly act: string
  readonly outcome: 'done' | 'refused' | 'failed'
  /** Null before the sign-in: `name` then has the name as typed. */
  readonly manager: Pick<Manager, 'name' | 'role'> | null
  readonly name?: string | undefined
  readonly address: string
}

export type LogAct = (act: Act) => void

const LONGEST_NAME = 255

/**
 * Opens the log of acts: a file of limited size, for this user only, beside the security log of the login app.
 * @throws NodeJS.ErrnoException if the file cannot be opened.
 */
export function openActs(file: string, log: Pick<Logger, 'error'>): LogAct {
  const onFault = (err: unknown) => log.error({ event: 'manager-log-failed', err })
  const noticeOf = (count: number) =>
    `${JSON.stringify({ time: new Date().toISOString(), event: 'log-lines-dropped', count })}\n`
  const output = createLineOutput(openLimitedFile(file, { onFault }), { noticeOf, onFault })
  const lines = securityLogOf(openLog('info', output))
  return (act) => lines[act.outcome === 'done' ? 'info' : 'warn'](lineOf(act))
}

/** The fields of the security log, and those of the page. pino omits undefined fields. */
function lineOf({ act, outcome, manager, name, address, viewer, entryPoint, target, count, detail }: Act): object {
  const by = (manager?.name ?? name)?.slice(0, LONGEST_NAME)
  const result = outcome === 'done' ? act : `${act}-${outcome}`
  const reason = [by === undefined ? null : `by ${by}`, target, count, detail].filter((part) => part != null).join(', ')
  return {
    event: 'manager',
    outcome: result,
    manager: by,
    role: manager?.role,
    viewer: viewer?.slice(0, LONGEST_NAME),
    entryPoint,
    address,
    target,
    count,
    detail,
    reason,
  }
}
