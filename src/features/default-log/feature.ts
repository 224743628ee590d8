import type { Logger } from 'pino'
import { defineFeature } from '../../login/feature.ts'
import { limitAge, openLimitedFile, RetentionEnvironment } from '../../server/log/limited-file.ts'

const PATH = 'data/security.log'

/** Keeps the security log in a file of limited size, while SECURITY_LOG_FILE is not set. */
export const defaultLog = defineFeature({
  name: 'default-log',
  securityLog: { path: PATH, open: openDefaultLog },
  shared: { settings: RetentionEnvironment.shape, schema: RetentionEnvironment },
  open({ log }, _entryPoints, { RETENTION_DAYS }) {
    limitAge(PATH, RETENTION_DAYS, (err) => log.warn({ event: 'security-log-failed', err }, `${PATH} keeps old lines.`))
    return Promise.resolve(null)
  },
})

/** Returns null, with one warning, if the file cannot be opened: the operator did not ask for it. */
function openDefaultLog(path: string, log: Pick<Logger, 'warn'>) {
  const warn = (err: unknown, message: string) => log.warn({ event: 'security-log-failed', err }, message)
  try {
    return openLimitedFile(path, {
      onFault: (error) => warn(error, `${path} cannot be renamed, so it grows over its limit.`),
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    warn(error, `${path} cannot be opened (${code}), so no file has the security log. Set SECURITY_LOG_FILE, or off.`)
    return null
  }
}
