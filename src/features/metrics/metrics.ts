import type { IncomingMessage, RequestListener } from 'node:http'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Watch } from '../../login/watch.ts'
import { type Readings, registerGauges } from './gauges.ts'

/** Metrics for Prometheus. No label holds a viewer, an address or a path, because a client could create any number. */
interface Metrics extends Pick<Watch, 'countSignIn' | 'countClientFault' | 'timeRequests'> {
  /** Answers GET /metrics. Listens on a separate port, because metrics are not for viewers. */
  readonly listener: RequestListener
}

/** The highest values cover the wait in a full hashing queue and for a user store that hangs. */
const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Any other method is counted as "other". */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST']

/** A policy could build a code for each viewer. Further codes are counted as "other". */
const MOST_CODES = 50

export interface MetricSources extends Readings {
  /** The number of lost lines by log. */
  readonly linesDropped: () => Readonly<Record<string, number>>
  /** All outcomes of sign-ins, so that each counter begins at 0: a rate needs a first value. */
  readonly signInOutcomes: readonly string[]
  /** The names of the entry points. */
  readonly entryPoints: readonly string[]
  /** Each registers the metrics of one feature. */
  readonly ofFeatures: readonly ((registry: Registry) => void)[]
}

/** @param sources read when Prometheus asks. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const signIns = new Counter({
    name: 'viewer_auth_sign_ins_total',
    help: 'Sign-ins and refusals by outcome, for rate-limited ones by limit, for those of the access policy by its code',
    labelNames: ['outcome', 'entry_point', 'limit', 'code'],
    registers,
  })
  for (const outcome of sources.signInOutcomes) {
    for (const entry_point of sources.entryPoints) signIns.inc({ outcome, entry_point }, 0)
  }
  registerGauges(registry, sources)
  for (const register of sources.ofFeatures) register(registry)
  countDroppedLines(registry, sources.linesDropped)
  const clientFaults = new Counter({
    name: 'viewer_auth_client_faults_total',
    help: 'Connections and requests that were refused before they reached the app',
    labelNames: ['fault'],
    registers,
  })
  const requests = new Histogram({
    name: 'viewer_auth_request_duration_seconds',
    help: 'From the start of the work on a request to the end of its answer',
    labelNames: ['method', 'status'],
    buckets: BUCKETS_SECONDS,
    registers,
  })
  for (const method of METHODS) requests.zero({ method, status: 500 })

  const codes = new Set<string>()
  function boundedCode(code: string): string {
    if (codes.size < MOST_CODES) codes.add(code)
    return codes.has(code) ? code : 'other'
  }

  return {
    countSignIn(outcome, entry_point, limit, given) {
      const code = given && boundedCode(given)
      signIns.inc({ outcome, entry_point, ...(limit && { limit }), ...(code && { code }) })
    },
    countClientFault: (fault) => clientFaults.inc({ fault }),
    timeRequests(req, res, next) {
      const startedMs = performance.now()
      res.once('finish', () => {
        const method = METHODS.includes(req.method) ? req.method : 'other'
        requests.observe({ method, status: res.statusCode }, (performance.now() - startedMs) / 1000)
      })
      next()
    },
    listener: (req, res) => void answer(registry, req, res).catch(() => res.destroy()),
  }
}

async function answer(registry: Registry, req: IncomingMessage, res: Parameters<RequestListener>[1]): Promise<void> {
  const isMetrics = req.url?.split('?')[0] === '/metrics'
  const status = !isMetrics ? 404 : req.method === 'GET' || req.method === 'HEAD' ? 200 : 405
  const body = status === 200 ? await registry.metrics() : ''
  res.writeHead(status, {
    'Content-Type': registry.contentType,
    'Cache-Control': 'no-store',
    ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
  })
  res.end(req.method === 'HEAD' ? undefined : body)
}

function countDroppedLines(registry: Registry, linesDropped: () => Readonly<Record<string, number>>): void {
  new Counter({
    name: 'viewer_auth_log_lines_dropped_total',
    help: 'Log lines that could not be written, by log',
    labelNames: ['log'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [log, count] of Object.entries(linesDropped())) this.inc({ log }, count)
    },
  })
}
