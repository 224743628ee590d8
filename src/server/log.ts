import pino, { type DestinationStream, type LevelWithSilent, type Logger } from 'pino'

const MOST_CAUSES = 5

/**
 * Opens the log: one JSON object per line, times in UTC. It writes no property of an error that could hold a form or a
 * secret.
 * @param destination standard output by default.
 */
export function openLog(level: LevelWithSilent, destination?: DestinationStream): Logger {
  const serializers = { err: (error: unknown) => describeFault(error, MOST_CAUSES) }
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, destination)
}

/**
 * Returns name, message, code and stack of an error and its causes. Omits other properties, because body-parser adds
 * the form to its errors.
 */
function describeFault(error: unknown, causes: number): unknown {
  if (!(error instanceof Error)) return { message: typeof error === 'string' ? error : `Thrown: ${typeof error}` }
  const { name, message, stack, cause } = error
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const because = cause === undefined || causes === 0 ? {} : { cause: describeFault(cause, causes - 1) }
  const several = error instanceof AggregateError && causes > 0 ? { errors: error.errors.map(describeOne) } : {}
  return { name, message, ...code, stack, ...because, ...several }
}

function describeOne(error: unknown): unknown {
  return describeFault(error, 0)
}
