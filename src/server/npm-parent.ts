/**
 * Calls back once when the parent process has ended; checks every half second. For programs that npm starts: when npm's
 * shell is stopped from outside, the program would stay behind as an orphan process on its port. Does not keep the
 * program running.
 */
export function onParentExit(act: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    act()
  }, 500).unref()
}
