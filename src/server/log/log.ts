import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino'
import { createLineOutput, type LineOutput } from './line-output.ts'
import { type SecurityLogFile, standardOutput } from './log-files.ts'

const MOST_CAUSES = 5
const LAST_LINES_MS = 1_000

/** The log of sign-ins, refusals and ended sessions. Each line has `category` "security". */
export type SecurityLog = Pick<Logger, 'info' | 'warn' | 'error'>

/**
 * Opens the log on standard output, and the security log. A log that cannot be written never stops the program.
 * @param securityFile null for none.
 * @throws ConfigError if the security file must be open.
 */
export function openLogs(level: LevelWithSilent, securityFile: SecurityLogFile | null) {
  const stdout = standardOutput()
  const main = createLineOutput(() => stdout, { noticeOf })
  const log = openLog(level, main)
  const security = securityFile === null ? null : openSecurityOutput(securityFile, log)
  // A wrong setting ends the process without close().
  process.on('exit', () => [main, security].forEach((output) => void output?.flush()))
  const onStdout = securityLogOf(log)
  return {
    log,
    /** Writes to `log`, and to the security file if there is one. The file gets the lines at every LOG_LEVEL. */
    securityLog: security ? inBoth(onStdout, securityLogOf(openLog('info', security))) : onStdout,
    /** Returns the number of lines of each log that could not be written. */
    linesDropped: () => ({ main: main.dropped(), security: security?.dropped() ?? 0 }),
    /** Lets a slow reader take the last lines, for one second at most. */
    close: () => main.drained(LAST_LINES_MS),
  }
}

/** Returns the part of the log with `category` "security". */
export function securityLogOf(log: Logger): SecurityLog {
  return log.child({ category: 'security' })
}

function openSecurityOutput({ path, open }: SecurityLogFile, log: Logger): LineOutput | null {
  const onFault = (err: unknown) => log.error({ event: 'security-log-failed', err })
  const descriptor = open(path, log)
  return descriptor && createLineOutput(descriptor, { noticeOf, onFault })
}

function inBoth(first: SecurityLog, second: SecurityLog): SecurityLog {
  const both = (level: keyof SecurityLog) => (line: object) => {
    first[level](line)
    second[level](line)
  }
  return { info: both('info'), warn: both('warn'), error: both('error') }
}

/** Returns the line about lines that were dropped because the output failed, or its reader was too slow. */
function noticeOf(count: number): string {
  return `${JSON.stringify({ level: 40, time: new Date().toISOString(), event: 'log-lines-dropped', count })}\n`
}

/**
 * Opens the log: one JSON object per line, times in UTC. It writes no property of an error that could hold a form or a
 * secret.
 */
export function openLog(level: LevelWithSilent, destination: DestinationStream): Logger {
  const serializers = { err: (error: unknown) => describeFault(error, MOST_CAUSES) }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, destination)
}

/** Returns an error and its causes without other properties than these, because body-parser adds the form to its errors. */
function describeFault(error: unknown, causes: number): unknown {
  if (!(error instanceof Error)) return { message: typeof error === 'string' ? error : `Thrown: ${typeof error}` }
  const { name, message, stack, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const because = cause === undefined || causes === 0 ? {} : { cause: describeFault(cause, causes - 1) }
  const several =
    error instanceof AggregateError && causes > 0 ? { errors: error.errors.map((one) => describeFault(one, 0)) } : {}
  return { name, message, ...code, stack, ...because, ...several }
}
