import { z } from 'zod'

export interface Instruction {
  /** In capitals, such as COPY. */
  readonly name: string
  /** The rest of the instruction, with its lines joined. */
  readonly rest: string
}

export interface Stage {
  /** The image or stage after FROM. */
  readonly base: string
  /** The name after AS, if there is one. */
  readonly alias: string | undefined
  readonly instructions: readonly Instruction[]
}

/** Parses the part of the Dockerfile language that this project uses: no here-documents, no escape directive. */
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

/** Returns the rest of each instruction with this name, in order. */
export function restsOf(stage: Stage, name: string): string[] {
  return stage.instructions.filter((instruction) => instruction.name === name).map(({ rest }) => rest)
}

/** Returns the words of an instruction in exec form, such as `CMD ["node", "src/main.ts"]`. */
export function execForm(rest: string): string[] {
  return z.array(z.string()).min(1).parse(JSON.parse(rest))
}

/**
 * True if .dockerignore keeps a path out of the build. The last line that names the path or a folder above it decides.
 * Understands only plain paths and a single `*`.
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
