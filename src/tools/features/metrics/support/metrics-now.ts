import type { BundleSection } from '../../../cli/support/section.ts'

const WITHIN_MS = 5000
const EVERY_ADDRESS: readonly string[] = ['', '0.0.0.0', '::']

/** The metrics of the app on this machine. */
export const metricsNow: BundleSection = {
  field: 'metrics',
  async collect({ env, signal }) {
    const { METRICS_PORT: port, HOST = '' } = env
    if (!port) return 'METRICS_PORT is not set.'
    const host = EVERY_ADDRESS.includes(HOST) ? '127.0.0.1' : HOST
    const limit = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)])
    const answer = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/metrics`, { signal: limit })
    return (await answer.text()).split('\n').filter((line) => !line.startsWith('#'))
  },
}
