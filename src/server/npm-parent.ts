/**
 * Calls back once when the parent process has ended; checks every half second. For programs that npm starts: if npm's
 * shell is killed, the program would stay as an orphan process that holds its port. Does not keep the program running.
 */
export function onParentExit(act: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    act()
  }, 500).unref()
}
