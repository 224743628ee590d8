/**
 * For a program that npm started: ended from outside, npm may take its shell with it and leave the program behind, on its
 * port. Calls back once when the process that started this one is gone, and keeps nothing running.
 */
export function whenParentIsGone(act: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    act()
  }, 500).unref()
}
