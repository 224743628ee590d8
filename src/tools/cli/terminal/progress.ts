import type { CommandIo } from './io.ts'

export interface Progress {
  /** Writes a line, above the bar if there is one. */
  write(line: string): void
  update(done: number, label: string): void
  stop(): void
}

/** True if the terminal can redraw what it shows. A terminal with `TERM=dumb` cannot. */
export function canRedraw({ stderr, env }: Pick<CommandIo, 'stderr' | 'env'>): boolean {
  return stderr.isTTY === true && env.TERM !== 'dumb'
}

/**
 * Starts a progress bar at a terminal. Elsewhere, it only writes lines, so that a log file stays readable.
 * @param total 0 for an unknown total: shows no bar.
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
    format: '{bar} {percentage} % · {label} · {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
    // Otherwise the bar would handle the first Ctrl-C, and the import would not stop.
    gracefulExit: false,
  })
  const bar = bars.create(total, 0, { label: '' })
  return {
    write: (line) => bars.log(`${line}\n`),
    update: (done, label) => bar.update(Math.min(done, total), { label }),
    stop: () => {
      // Draws the lines that are still in the queue.
      bars.update()
      bars.stop()
    },
  }
}
