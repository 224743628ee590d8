// Optional: shows the time until the doors open. The page is complete without it, and the header Refresh loads it again.

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

const countdown = document.querySelector('[data-opens-in]')
const endMs = performance.now() + 1_000 * countdown.dataset.opensIn
const format = new Intl.RelativeTimeFormat(document.documentElement.lang)
// As the screen beside it.
const capital = (text) => text.charAt(0).toLocaleUpperCase() + text.slice(1)

function show() {
  const left = Math.max(0, Math.ceil((endMs - performance.now()) / 1_000))
  const [unit, seconds] = UNITS.find(([, length]) => left >= 2 * length) ?? UNITS.at(-1)
  countdown.textContent = left > 0 ? capital(format.format(Math.floor(left / seconds), unit)) : ''
}
show()
setInterval(show, 1_000)
