import type { Tree } from './tree.ts'

interface Manifest {
  readonly scripts: Record<string, string>
  readonly dependencies: Record<string, string>
  readonly devDependencies: Record<string, string>
}

/** Finds the packages that code names. A package with types is used as long as the package that it describes. */
function usedPackages(tree: Tree, names: readonly string[]): Set<string> {
  const code = [...tree].filter(([path]) => /\.[cm]?[jt]s$/.test(path) || path.endsWith('run')).map(([, text]) => text)
  const isNamed = (name: string) =>
    code.some((text) => new RegExp(`(?:from|import\\(|import|require\\(|resolve\\() ?'${name}['/]`).test(text))
  const used = new Set(names.filter(isNamed))
  for (const name of names) {
    if (name.startsWith('@types/') && used.has(name.slice('@types/'.length))) used.add(name)
  }
  return used
}

/** Removes the packages that only code of the removed parts used, and scripts that start a removed program. */
export function slimManifest(full: Tree, tree: Tree, keep: readonly string[]): string {
  const manifest: Manifest = JSON.parse(full.get('package.json') ?? '')
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const before = usedPackages(full, names)
  const after = usedPackages(tree, names)
  const staying = (packages: Record<string, string>) =>
    Object.fromEntries(Object.entries(packages).filter(([name]) => after.has(name) || !before.has(name)))
  const isGone = (path: string) => full.has(path) && !tree.has(path)
  const scripts = Object.entries(manifest.scripts).filter(([, command]) => !command.split(' ').some(isGone))
  const slim: Manifest & { slim: { keep: readonly string[] } } = {
    ...manifest,
    scripts: Object.fromEntries(scripts),
    dependencies: staying(manifest.dependencies),
    devDependencies: staying(manifest.devDependencies),
    slim: { keep },
  }
  return `${JSON.stringify(slim, null, 2)}\n`
}
