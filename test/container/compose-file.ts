import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { z } from 'zod'

const Condition = z.strictObject({
  condition: z.enum(['service_started', 'service_healthy', 'service_completed_successfully']),
  required: z.literal(false).optional(),
})
const Mount = z.strictObject({
  type: z.literal('volume'),
  source: z.string(),
  target: z.string(),
  read_only: z.boolean(),
  volume: z.strictObject({ nocopy: z.boolean() }),
})
const Bind = z.strictObject({
  type: z.literal('bind'),
  source: z.string(),
  target: z.string(),
  read_only: z.literal(true),
  bind: z.strictObject({ create_host_path: z.literal(true) }),
})
const HealthCheck = z.union([
  z.strictObject({ disable: z.literal(true) }),
  z.strictObject({
    test: z.array(z.string()).min(2),
    interval: z.string(),
    timeout: z.string(),
    start_period: z.string().optional(),
    retries: z.number().optional(),
  }),
])

/** Strict, so that an unknown or misspelled key is refused. */
const Service = z.strictObject({
  image: z.string(),
  build: z.literal('.').optional(),
  user: z.string().optional(),
  profiles: z.array(z.string()).default([]),
  entrypoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  restart: z.enum(['unless-stopped', 'no']),
  read_only: z.boolean(),
  cap_drop: z.array(z.string()),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.array(z.string()),
  logging: z.strictObject({ driver: z.literal('local') }),
  mem_limit: z.string(),
  cpus: z.coerce.number(),
  pids_limit: z.number(),
  tmpfs: z.array(z.string()).default([]),
  shm_size: z.string().optional(),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  stop_grace_period: z.string().optional(),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.union([z.string(), Mount, Bind])).default([]),
  depends_on: z.union([z.array(z.string()), z.record(z.string(), Condition)]).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  healthcheck: HealthCheck.optional(),
})

const ComposeFile = z.object({
  services: z.record(z.string(), Service),
  networks: z.record(
    z.string(),
    z.strictObject({ internal: z.stringbool().or(z.boolean()).optional(), enable_ipv6: z.literal(true).optional() }),
  ),
  volumes: z.record(z.string(), z.strictObject({})),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
})

export type ComposeService = z.infer<typeof Service>

/**
 * Reads compose.yaml as Compose would in this environment.
 * @throws Error if the file uses something that this reader does not know.
 */
export function readComposeFile(path: string, environment: Readonly<Record<string, string>>) {
  return ComposeFile.parse(interpolated(load(readFileSync(path, 'utf8')), environment))
}

function interpolated(value: unknown, environment: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return inText(value, environment)
  if (Array.isArray(value)) return value.map((item) => interpolated(item, environment))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, interpolated(inner, environment)]))
}

/** Replaces `$$`, `${NAME:-default}` and `${NAME-default}`. The file may contain no other form. */
function inText(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replace(/\$(\$|\{([A-Z_]+)(:?)-([^}]*)\})?/g, (_all, form, name, orEmpty, rest) => {
    if (form === '$') return '$'
    if (form === undefined) throw new Error(`A "$" that is none of these: ${text}`)
    const value: string | undefined = environment[name]
    return value === undefined || (orEmpty === ':' && value === '') ? rest : value
  })
}
