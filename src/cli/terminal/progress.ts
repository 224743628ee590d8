import type { CommandIo } from './io.ts'

export interface Progress {
  /** A line above the bar, or alone where there is none. */
  write(line: string): void
  update(done: number, label: string): void
  stop(): void
}

/** Whether what was written can be drawn over: on a terminal, but for one that only prints (`TERM=dumb`). */
export function canRedraw({ stderr, env }: Pick<CommandIo, 'stderr' | 'env'>): boolean {
  return stderr.isTTY === true && env.TERM !== 'dumb'
}

/**
 * A bar on a terminal; elsewhere nothing but the lines, so that a log stays one.
 * @param total 0 where there is nothing to compare with: no bar then either.
 */
export async function startProgress(
  { stderr, env }: Pick<CommandIo, 'stderr' | 'env'>,
  total: number,
): Promise<Progress> {
  if (!canRedraw({ stderr, env }) || total === 0) {
    return { write: (line) => void stderr.write(`${line}\n`), update: () => {}, stop: () => {} }
  }
  const { default: cliProgress } = await import('cli-progress')
  const bars = new cliProgress.MultiBar({
    stream: stderr as NodeJS.WriteStream,
    format: '{bar} {percentage} % · {label} · {eta_formatted} to go',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    // It would take the first Ctrl-C for itself, and the import would go on.
    gracefulExit: false,
  })
  const bar = bars.create(total, 0, { label: '' })
  return {
    write: (line) => bars.log(`${line}\n`),
    update: (done, label) => bar.update(Math.min(done, total), { label }),
    stop: () => {
      // Draws the lines that still wait.
      bars.update()
      bars.stop()
    },
  }
}
