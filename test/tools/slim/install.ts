import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Gives a fork the packages that its own lock file names, as `npm ci` does, by links to the packages of a checkout.
 * @throws Error if the checkout lacks one.
 */
export function installPackages(fork: string, from: string): void {
  const packages = join(fork, 'node_modules')
  rmSync(packages, { recursive: true, force: true })
  mkdirSync(packages)
  const source = join(from, 'node_modules')
  // Without the caches and notes of programs, which may run in the checkout now.
  const names = readdirSync(source).filter((name) => name === '.bin' || !name.startsWith('.'))
  execFileSync('cp', ['--archive', '--link', ...names.map((name) => join(source, name)), packages])
  const named = packagesOf(fork)
  const there = packagesOf(from)
  const missing = named.filter((path) => !there.includes(path))
  if (missing.length > 0) throw new Error(`Not installed: ${missing.join(', ')}`)
  const gone = there.filter((path) => !named.includes(path))
  for (const path of gone) rmSync(join(fork, path), { recursive: true, force: true })
  for (const name of readdirSync(packages))
    if (name.startsWith('@') && readdirSync(join(packages, name)).length === 0) rmdirSync(join(packages, name))
  const programs = join(packages, '.bin')
  for (const name of readdirSync(programs)) if (!existsSync(join(programs, name))) rmSync(join(programs, name))
}

/** Lists the folders that the lock file of a checkout names. */
function packagesOf(folder: string): string[] {
  const lock: { packages: Record<string, unknown> } = JSON.parse(
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  )
  return Object.keys(lock.packages)
}
