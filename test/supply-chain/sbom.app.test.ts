import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { z } from 'zod'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const Manifest = z.object({
  scripts: z.object({ sbom: z.string() }),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
})
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string(),
      integrity: z.string().optional(),
      dev: z.boolean().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
})
const Sbom = z.object({
  bomFormat: z.literal('CycloneDX'),
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      purl: z.string().startsWith('pkg:npm/'),
      hashes: z.array(z.object({ alg: z.literal('SHA-512'), content: z.string() })).length(1),
      properties: z.array(z.object({ name: z.string() })),
    }),
  ),
})

function readJson<T>(schema: z.ZodType<T>, file: string): T {
  return schema.parse(JSON.parse(readFileSync(join(ROOT, file), 'utf8')))
}

const { scripts, dependencies, devDependencies } = readJson(Manifest, 'package.json')
const { packages } = readJson(Lock, 'package-lock.json')
const LOCKED = Object.entries(packages).filter(([path]) => path !== '')

/** Returns name and version of each package of the app. A fork may have removed packages only from package.json. */
function lockedPackages(): Set<string> {
  const removed = Object.keys(packages['']?.dependencies ?? {}).filter((name) => !(name in dependencies))
  const named = LOCKED.filter(([, { dev }]) => dev !== true).map(
    ([path, { version }]) => [path.replace(/^.*node_modules\//, ''), version] as const,
  )
  return new Set(named.filter(([name]) => !removed.includes(name)).map(([name, version]) => `${name}@${version}`))
}

test('npm run sbom lists each package with its version and hash, and marks those for development', () => {
  const [program = '', ...args] = scripts.sbom.split(' ')
  const sbom = Sbom.parse(JSON.parse(execFileSync(program, args, { cwd: ROOT, encoding: 'utf8' })))
  // With --omit=dev, npm would leave out packages that the app shares with a tool, such as zod.
  const ofApp = sbom.components.filter(
    ({ properties }) => !properties.some(({ name }) => name === 'cdx:npm:package:development'),
  )
  expect(new Set(ofApp.map(({ name, version }) => `${name}@${version}`))).toEqual(lockedPackages())
  expect(ofApp.length).toBeLessThan(sbom.components.length)
})

test('each package has an exact version, and a hash in the lock file', () => {
  for (const version of Object.values({ ...dependencies, ...devDependencies })) {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  }
  expect(LOCKED.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([])
})
