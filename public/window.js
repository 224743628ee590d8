// Optional: without it, the viewer presses the button.

const EVERY_MS = 2000
const LONGEST_MS = 600000
let endMs = 0
let timer

addEventListener('submit', ({ target }) => {
  if (target.id !== 'sso-start') return
  const hint = document.getElementById('sso-hint')
  hint.textContent = hint.dataset.waiting
  endMs = Date.now() + LONGEST_MS
  askAgain()
})
addEventListener('click', (event) => {
  const link = event.target.closest?.('[data-window]')
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  void openWindow(link.href)
})
// Browsers slow down the timers of a hidden page.
document.addEventListener('visibilitychange', () => document.hidden || !timer || void ask())

/** Shows the screen that waits for the window, and opens the window with the same click. */
async function openWindow(address) {
  try {
    const answer = await fetch(address)
    const { body } = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const start = body.querySelector('#sso-start')
    document.body.replaceWith(body)
    start.querySelector('button').focus()
    start.requestSubmit()
  } catch {
    location.assign(address)
  }
}

function askAgain() {
  clearTimeout(timer)
  timer = setTimeout(ask, EVERY_MS)
}

async function ask() {
  clearTimeout(timer)
  timer = undefined
  const form = document.forms['sso-continue']
  if (!form || Date.now() > endMs) return
  try {
    const { wait, way } = form.elements
    const body = new URLSearchParams({ wait: wait.value, way: way.value })
    const answer = await fetch(form.dataset.status, { method: 'POST', body })
    if (answer.ok && (await answer.json()).status === 'ready') return form.submit()
  } catch {
    // The next question may be answered.
  }
  askAgain()
}
