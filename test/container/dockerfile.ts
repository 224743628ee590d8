import { z } from 'zod'

export interface Instruction {
  /** In capitals, such as COPY. */
  readonly name: string
  /** What follows, its lines joined. */
  readonly rest: string
}

export interface Stage {
  /** The image or stage that it starts from. */
  readonly base: string
  /** What comes after AS, if anything. */
  readonly alias: string | undefined
  readonly instructions: readonly Instruction[]
}

/** Reads as much of the Dockerfile language as the project's own file uses: no here-documents, no other escape. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const stages: (Stage & { instructions: Instruction[] })[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (name.toUpperCase() === 'FROM') {
      const [base = '', , alias] = rest.split(/\s+/)
      stages.push({ base, alias, instructions: [] })
    } else {
      stages.at(-1)?.instructions.push({ name: name.toUpperCase(), rest })
    }
  }
  return stages
}

/** @returns what follows each instruction of this name, in order. */
export function restsOf(stage: Stage, name: string): string[] {
  return stage.instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
}

/** The words of an instruction in the form that no shell reads, such as `CMD ["node", "src/main.ts"]`. */
export function execForm(rest: string): string[] {
  return z.array(z.string()).min(1).parse(JSON.parse(rest))
}

/**
 * Whether .dockerignore keeps a path out of the build: the last line that names it or a folder above it decides.
 * Only `*` alone and plain paths are understood.
 */
export function isIgnored(dockerignore: string, path: string): boolean {
  let ignored = false
  for (const line of dockerignore.split('\n').map((text) => text.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const pattern = line.replace(/^!/, '')
    if (pattern === '*' || pattern === path || path.startsWith(`${pattern}/`)) ignored = !line.startsWith('!')
  }
  return ignored
}
