// A browser that blocks all cookies throws an error as soon as a script reads the name `localStorage`. The player then
// works without storage.

/** Returns the stored text, or null. */
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
    // Not stored: the viewer signs in again next time.
  }
}

export function forget(key) {
  try {
    localStorage.removeItem(key)
  } catch {
    // Nothing was stored.
  }
}
