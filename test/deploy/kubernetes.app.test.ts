import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadAll } from 'js-yaml'
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import type { Job } from 'kubernetes-types/batch/v1.d.ts'
import type { PodSpec } from 'kubernetes-types/core/v1.d.ts'
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig, settingNames } from '../../src/config.ts'
import { parseDockerfile, restsOf, type Stage } from '../container/dockerfile.ts'
import { SETTINGS } from '../settings.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = join(ROOT, '.github/deploy')
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8')
const TYPES_OF: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'batch/v1': 'batch/v1',
  'networking.k8s.io/v1': 'networking/v1',
  'policy/v1': 'policy/v1',
}

interface Resource {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

function resourcesOf(file: string): Resource[] {
  const resources: Resource[] = []
  loadAll(readFileSync(join(FOLDER, file), 'utf8'), (resource) => resources.push(resource as Resource))
  return resources
}

/** Checks resources against the types of the Kubernetes API. Unknown and misspelled fields are faults too. */
function typeFaults(resources: readonly object[]): string {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.kubernetes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const lines = (resources as Resource[]).map(({ apiVersion, kind, ...rest }, index) => {
    const resource = JSON.stringify({ apiVersion, kind, ...rest })
    return `import type { ${kind} as T${index} } from 'kubernetes-types/${TYPES_OF[apiVersion]}'
      export const resource${index}: T${index} = ${resource}`
  })
  writeFileSync(join(folder, 'resources.ts'), lines.join('\n'))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--moduleResolution', 'bundler']
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  return spawnSync(tsc, ['--ignoreConfig', ...options, join(folder, 'resources.ts')], { encoding: 'utf8' }).stdout
}

function podOf(resources: readonly Resource[]) {
  const found = resources.find(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet') as Deployment | undefined
  const pod: PodSpec = found?.spec?.template.spec ?? expect.unreachable()
  const { containers, securityContext = {}, terminationGracePeriodSeconds = 0 } = pod
  const [container = expect.unreachable()] = containers
  return { container, securityContext, terminationGracePeriodSeconds }
}
const FILES = readdirSync(FOLDER).filter((name) => /^kubernetes.*\.yaml$/.test(name))

describe.each(FILES)('%s', (file) => {
  const resources = resourcesOf(file)

  test(`every resource of ${file} fits the types of the Kubernetes API`, { timeout: 60_000 }, () => {
    expect(typeFaults(resources)).toBe('')
    const misspelled = JSON.parse(JSON.stringify(resources).replace('"replicas"', '"replica"')) as object[]
    expect(typeFaults(misspelled)).toContain('replica')
  })

  test(`the policy of ${file} opens the ports of its pods to one namespace each`, () => {
    const { container } = podOf(resources)
    const policy = resources.find(({ kind }) => kind === 'NetworkPolicy') as NetworkPolicy | undefined
    const opened = policy?.spec?.ingress?.map(({ from, ports }) => [from?.length, ports?.map(({ port }) => port)])
    expect(opened).toEqual(container.ports?.map(({ name }) => [1, [name]]))
  })

  test(`the pods of ${file} run as the user of the image, without further rights`, () => {
    const [, image] = parseDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) as [Stage, Stage]
    const { securityContext, container } = podOf(resources)
    expect(restsOf(image, 'USER')).toEqual([`${securityContext.runAsUser}:${securityContext.fsGroup}`])
    expect(securityContext.runAsNonRoot).toBe(true)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })
})

test('the settings of kubernetes.yaml start the app, with the secret that the README makes', () => {
  const resources = resourcesOf('kubernetes.yaml')
  const { data } = resources[0] as unknown as { data: Record<string, string> }
  const folder = temporaryFolder()
  const keys = [...README.matchAll(/--from-(?:file|literal)=([a-z-]+)=/g)].map(([, key = '']) => key)
  const held: Record<string, string> = {
    'hash-secret': SETTINGS.HASH_SECRET,
    'hash-secret-previous': '',
    'session-secret': SETTINGS.SESSION_SECRET,
    'user-store-url': 'postgres://login_app:abc@db.example.com/viewers',
    'owner-url': 'postgres://owner:abc@db.example.com/viewers',
    'redis-url': 'rediss://:abc@redis.example.com',
  }
  for (const key of keys) writeFileSync(join(folder, key), held[key] ?? expect.unreachable(key))
  const settings = Object.entries(data).map(([name, value]) => [
    name,
    value.replace('/run/secrets/viewer-auth', folder),
  ])
  const config = readConfig(Object.fromEntries(settings))
  const { container, terminationGracePeriodSeconds } = podOf(resources)
  const ports = Object.fromEntries((container.ports ?? []).map(({ name, containerPort }) => [name, containerPort]))
  expect(config).toMatchObject({
    port: ports.http,
    features: { metrics: ports.metrics },
    trustProxyHops: 1,
    warnings: [],
  })
  // Without these, a pod reads a changed secret only at its start.
  const secretFiles = { secret: join(folder, 'hash-secret'), previous: join(folder, 'hash-secret-previous') }
  expect(config.entryPoints).toMatchObject([{ secret: SETTINGS.HASH_SECRET, previousSecret: null, secretFiles }])
  expect(terminationGracePeriodSeconds).toBeGreaterThan(config.shutdownDelaySeconds + 15)
  expect(container.volumeMounts?.map(({ mountPath }) => mountPath)).toContain('/run/secrets/viewer-auth')
  for (const name of Object.keys(data)) expect(settingNames()).toContain(name)
})

test('the job of migrate-job.yaml runs a command of the app, as the pods of the app do', { timeout: 60_000 }, () => {
  const [job] = resourcesOf('migrate-job.yaml') as [Resource & Job]
  expect(typeFaults([job])).toBe('')
  const pod = job.spec?.template.spec ?? expect.unreachable()
  const [migrate = expect.unreachable()] = pod.containers
  const app = podOf(resourcesOf('kubernetes.yaml'))
  expect(pod.securityContext).toEqual(app.securityContext)
  expect(migrate).toMatchObject({ image: app.container.image, securityContext: app.container.securityContext })
  const folders = migrate.volumeMounts?.map(({ mountPath }) => mountPath)
  expect(folders).toEqual(['/run/secrets/viewer-auth', '/run/secrets/viewer-auth-owner', '/tmp'])
  const compose = readFileSync(join(ROOT, 'compose.yaml'), 'utf8')
  const command = migrate.command?.join(', ').replace('/viewer-auth/', '/') ?? expect.unreachable()
  expect(compose).toContain(`command: [${command}]`)
})

test('kubernetes.yaml has what kubernetes-one-copy.yaml has, except for the volume of the data and the stores', () => {
  const [several, one] = ['kubernetes.yaml', 'kubernetes-one-copy.yaml'].map(resourcesOf) as [Resource[], Resource[]]
  const { container } = podOf(several)
  const mounts = [...(container.volumeMounts ?? []), { name: 'data', mountPath: '/app/data' }]
  expect(podOf(one).container).toEqual({ ...container, volumeMounts: mounts })
  expect(several).toMatchObject([one[0], { kind: 'Deployment' }, ...one.slice(2), { kind: 'PodDisruptionBudget' }])
})
