// Where the browser keeps nothing for us (all cookies blocked, some private windows), already reading the name
// `localStorage` throws: everything then works without a memory.

/** The kept text, or null. */
export function recall(key) {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function keep(key, text) {
  try {
    localStorage.setItem(key, text)
  } catch {
    // Nothing is kept: the viewer signs in again next time.
  }
}

export function forget(key) {
  try {
    localStorage.removeItem(key)
  } catch {
    // Nothing was kept.
  }
}
