import type { CommandIo } from './io.ts'

/** True if the terminal can redraw what it shows. A terminal with `TERM=dumb` cannot. */
export function canRedraw({ stderr, env }: Pick<CommandIo, 'stderr' | 'env'>): boolean {
  return stderr.isTTY === true && env.TERM !== 'dumb'
}

const BAR_COLUMNS = 40

/**
 * Starts a progress bar at a terminal. Elsewhere, it only writes lines, so that a log file stays readable.
 * @param total 0 for an unknown total: shows no bar.
 */
export function startProgress({ stderr, env }: Pick<CommandIo, 'stderr' | 'env'>, total: number) {
  if (!canRedraw({ stderr, env }) || total === 0) {
    return { write: (line: string) => void stderr.write(`${line}\n`), update: () => {}, stop: () => {} }
  }
  const startedMs = performance.now()
  let bar = ''
  const draw = (next: string) => {
    bar = next
    stderr.write(`\r\x1b[K${bar}`)
  }
  return {
    /** Writes a line above the bar. */
    write: (line: string) => void stderr.write(`\r\x1b[K${line}\n${bar}`),
    update(done: number, label: string): void {
      const part = Math.min(done, total) / total
      const filled = Math.round(part * BAR_COLUMNS)
      const seconds = Math.ceil(((performance.now() - startedMs) / 1000) * (1 / part - 1))
      const cells = '█'.repeat(filled) + '░'.repeat(BAR_COLUMNS - filled)
      const words = [`${Math.floor(part * 100)} %`, label, part > 0 ? `${seconds} s left` : '']
      draw(`${cells} ${words.filter((word) => word !== '').join(' · ')}`)
    },
    stop: () => draw(''),
  }
}
