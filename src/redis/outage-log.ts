import type { Logger } from 'pino'
import type { UpstreamError } from '../errors.ts'

const REPORT_EVERY_SECONDS = 60

export interface OutageLogOptions {
  /** Name of the setting with the address of Redis. */
  readonly setting: string
  /** The effect of an outage, as the end of a sentence in the log. */
  readonly without: string
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** UNIX time in seconds. */
  readonly nowSeconds: () => number
}

/** Logs an outage once a minute, and its end once. */
export function createOutageLog({ setting, without, log, nowSeconds }: OutageLogOptions) {
  let quietUntilSeconds = 0
  let isReported = false
  function isTime(): boolean {
    if (nowSeconds() < quietUntilSeconds) return false
    quietUntilSeconds = nowSeconds() + REPORT_EVERY_SECONDS
    return true
  }
  return {
    away(err: UpstreamError): void {
      if (!isTime()) return
      isReported = true
      log.warn({ event: 'redis-away', setting, err }, `${setting}: Redis is away, and ${without}`)
    },
    refused(err: UpstreamError): void {
      if (isTime()) log.warn({ event: 'redis-refuses', setting, err }, `${setting}: Redis refuses, and ${without}`)
    },
    back(): void {
      if (!isReported) return
      isReported = false
      log.info({ event: 'redis-back', setting }, `${setting}: Redis answers again`)
    },
  }
}
